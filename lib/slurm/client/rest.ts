import { z } from 'zod'
import { readJobs, readNodes, readPartitions } from './rest-answers'
import type { RestConnection } from './rest-connection'
import { submissionBody } from './rest-submission'
import {
  type SlurmClient,
  type SlurmJobState,
  type SlurmNodeState,
  type SlurmPartition,
  SlurmRefusal,
  type SlurmSubmission,
  SlurmUnavailable,
} from './slurm-client'

/** What Slurm says of a job that has ended, or that it no longer knows. */
const gone = /invalid job id|already (finished|completing|completed)/i

/** Names that mean nothing to a shell. */
const accountName = /^[a-z_][a-z0-9_.-]*$/i

/** Slurm by slurmrestd. docs/slurm.md says what it cannot do that the commands can. */
export class RestClient implements SlurmClient {
  constructor(private readonly connection: RestConnection) {}

  async version(): Promise<string> {
    const { meta } = await this.connection.request({ path: 'ping' })
    return meta?.Slurm?.release ?? meta?.slurm?.release ?? 'unknown'
  }

  async hasAccounting(): Promise<boolean> {
    return (await this.connection.api()).hasAccounting
  }

  async submit(submission: SlurmSubmission): Promise<number> {
    const { unixUser } = submission
    if (unixUser !== null && !accountName.test(unixUser))
      throw new SlurmRefusal(`${unixUser} is no name of a Unix account.`)
    const { version } = await this.connection.api()
    const answer = await this.connection.request({
      path: 'job/submit',
      method: 'POST',
      body: submissionBody(submission, version),
      unixUser,
    })
    const parsed = z.object({ job_id: z.number().int().positive() }).safeParse(answer)
    if (!parsed.success) throw new SlurmUnavailable('slurmrestd returned no job id.')
    const id = parsed.data.job_id
    if (unixUser !== null) await this.checkOwner(id, unixUser)
    return id
  }

  /** slurmrestd 22.05 submits in the name of the token's user if it does not know the account. */
  private async checkOwner(id: number, unixUser: string): Promise<void> {
    const [job] = readJobs(await this.connection.request({ path: `job/${id}` }))
    if (job === undefined || job.user === unixUser) return
    await this.cancel([id], null)
    throw new SlurmRefusal(`Slurm does not know the account ${unixUser}.`)
  }

  async listJobs(): Promise<SlurmJobState[]> {
    return readJobs(await this.connection.request({ path: 'jobs' }))
  }

  async findEnded(): Promise<SlurmJobState[]> {
    return []
  }

  async listNodes(): Promise<SlurmNodeState[]> {
    return readNodes(await this.connection.request({ path: 'nodes' }))
  }

  async listPartitions(): Promise<SlurmPartition[]> {
    return readPartitions(await this.connection.request({ path: 'partitions' }))
  }

  async cancel(ids: readonly number[], unixUser: string | null): Promise<void> {
    for (const id of ids)
      await ignoreGone(this.connection.request({ path: `job/${id}`, method: 'DELETE', unixUser }))
  }

  async setHeld(ids: readonly number[], held: boolean, unixUser: string | null): Promise<void> {
    const jobs = await this.listJobs()
    for (const id of ids) {
      const nice = jobs.find((job) => job.id === id)?.nice ?? 0
      await this.update(id, { hold: held, nice }, unixUser)
    }
  }

  async setNice(id: number, nice: number, unixUser: string | null): Promise<void> {
    const hold = (await this.listJobs()).find((job) => job.id === id)?.held ?? false
    await this.update(id, { hold, nice }, unixUser)
    // A changed value of `nice` gives a held job a priority again, which releases it.
    if (hold) await this.update(id, { hold, nice }, unixUser)
  }

  async setDrained(node: string, reason: string | null): Promise<void> {
    if (!(await this.connection.api()).canUpdateNodes)
      throw new SlurmRefusal(
        'slurmrestd 22.05 cannot drain or resume nodes. Use `scontrol update nodename=… state=…` on a host of the cluster.',
      )
    const body = reason === null ? { state: ['RESUME'] } : { state: ['DRAIN'], reason }
    await this.connection.request({ path: `node/${encodeURIComponent(node)}`, method: 'POST', body })
  }

  /** slurmrestd 22.05 resets what an update does not name: `nice` alone releases a held job. */
  private update(
    id: number,
    changes: { hold: boolean; nice: number },
    unixUser: string | null,
  ): Promise<void> {
    return ignoreGone(this.connection.request({ path: `job/${id}`, method: 'POST', body: changes, unixUser }))
  }
}

/** A job that has ended, or that Slurm no longer knows, needs no change. */
async function ignoreGone(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!(error instanceof SlurmRefusal && gone.test(error.message))) throw error
  }
}
