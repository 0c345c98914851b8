import type { Client } from '@/lib/http/client/client'
import type { Context } from '../context'
import { JobSync } from '../working-files/job-sync'
import { createState, readStates, removeState, type SyncState, saveState } from '../working-files/sync-state'

/** Brings the files of an agent's jobs back to its working directory. */
export class AgentFiles {
  readonly #ending = new AbortController()
  /** The synchronizations that are running, by job. */
  readonly #running = new Map<string, Promise<void>>()
  /** What the agent has not been told yet, by job. */
  readonly #reports = new Map<string, string[]>()

  constructor(
    readonly context: Context,
    readonly client: Client,
  ) {}

  /** Continues with the jobs of an earlier session in this directory. */
  async resume(server: string, directory: string): Promise<void> {
    for (const state of await readStates(this.context.env)) {
      if (state.server === server && state.directory === directory) this.#start(state)
    }
  }

  /** Brings back the files of a new job until it has ended. */
  async add(state: SyncState): Promise<void> {
    if (this.#running.has(state.jobId)) return
    await createState(this.context.env, state)
    this.#start(state)
  }

  #start(state: SyncState): void {
    const { context, client } = this
    const { jobId } = state
    const report = (message: string) => this.#report(jobId, message)
    const save = (changed: SyncState) => saveState(context.env, changed)
    const sync = new JobSync({ client, state, save, report, signal: this.#ending.signal })
    const running = sync
      .run()
      .then(async (isComplete) => {
        if (isComplete) await removeState(context.env, jobId)
      })
      .catch((error: unknown) => {
        if (this.#ending.signal.aborted) return
        const why = error instanceof Error ? error.message : String(error)
        this.#report(jobId, `The files of the job do not return: ${why}`)
      })
      .finally(() => this.#running.delete(jobId))
    this.#running.set(jobId, running)
  }

  /** Waits until the last files of an ended job are here, but not longer than `ms`. */
  async finish(jobId: string, ms: number): Promise<void> {
    const running = this.#running.get(jobId)
    if (running) await Promise.race([running, this.context.sleep(ms)])
  }

  /** Returns what the agent has not been told yet about the files of a job. */
  takeReports(jobId: string): string[] {
    const reports = this.#reports.get(jobId) ?? []
    this.#reports.delete(jobId)
    return reports
  }

  /** Stops. A later session continues. */
  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#running.values())
  }

  #report(jobId: string, message: string): void {
    this.#reports.set(jobId, [...(this.#reports.get(jobId) ?? []), message])
  }
}
