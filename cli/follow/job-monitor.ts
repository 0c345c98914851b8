import type { JobSummary } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { readPages } from '../job/read-pages'

interface MonitorOptions {
  client: Pick<Client, 'jobs'>
  /** Jobs that ended before this time, in milliseconds, are not followed. */
  sinceMs: number
  /** Follows a job that has started or ended. Never rejects. */
  follow(jobId: string): Promise<void>
}

const pageSize = 50
const maxRead = 1_000
/** Waiting jobs beyond the newest are read one by one: this many, at one of so many checks. */
const reread = { jobs: 5, everyChecks: 5 }

/** Finds the user's jobs that start, by polling. Each is followed once. */
export class JobMonitor {
  /** Waiting jobs, the longest unread first. */
  readonly #waiting = new Set<string>()
  readonly #followed = new Set<string>()
  readonly #following = new Set<Promise<void>>()
  /** When the newest known job was created. */
  #newest: string | null = null
  #checks = 0

  constructor(readonly options: MonitorOptions) {}

  async check(): Promise<void> {
    const { client } = this.options
    const jobs = [...(await this.#readNewest()), ...(await this.#readAll('running'))]
    if (this.#followed.size + this.#waiting.size === 0) jobs.push(...(await this.#readAll('pending')))
    for (const job of jobs) this.#see(job)
    const seen = new Set(jobs.map(({ job_id }) => job_id))
    if (++this.#checks % reread.everyChecks !== 0) return
    const unseen = [...this.#waiting].filter((id) => !seen.has(id)).slice(0, reread.jobs)
    for (const id of unseen) {
      this.#waiting.delete(id)
      try {
        this.#see(await client.jobs.get(id))
      } catch (error) {
        // Its files were deleted, and the job with them.
        if (!(error instanceof ProblemError) || error.status !== 404) throw error
      }
    }
  }

  /** Resolves when no job is followed any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#following)
  }

  #see({ job_id: id, status, completed_at }: JobSummary): void {
    if (this.#followed.has(id)) return
    if (status === 'pending') {
      this.#waiting.add(id)
      return
    }
    const isKnown = this.#waiting.delete(id)
    this.#followed.add(id)
    if (isFinal(status) && !isKnown && Date.parse(completed_at ?? '') < this.options.sinceMs) return
    const following = this.options.follow(id)
    this.#following.add(following)
    void following.then(() => this.#following.delete(following))
  }

  /** The jobs that were created since the last check, and some older ones. */
  async #readNewest(): Promise<JobSummary[]> {
    const found: JobSummary[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Awaited<ReturnType<Client['jobs']['list']>> = await this.options.client.jobs.list({
        limit: pageSize,
        ...(cursor === undefined ? {} : { cursor }),
      })
      found.push(...page.items)
      const oldest = page.items.at(-1)?.created_at ?? ''
      cursor = this.#newest === null || oldest < this.#newest ? null : page.next
    }
    this.#newest = found[0]?.created_at ?? this.#newest
    return found
  }

  #readAll(status: 'running' | 'pending'): Promise<JobSummary[]> {
    return readPages(maxRead, (query) => this.options.client.jobs.list({ ...query, status }))
  }
}
