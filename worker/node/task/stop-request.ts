import { unlessAborted } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, noteStop } from '@/lib/cluster/tasks/tasks'
import { type EndReason, endReasons } from '@/lib/contract/reasons'
import { retryWrite } from '../lease/retry-write'

/** What a task is to be stopped for, if it is: once given, it is in the database too. */
export class StopRequest {
  #reason: EndReason | null = null
  #noted: Promise<void> = Promise.resolve()
  readonly #given = new AbortController()

  /** @param abandoned aborted when this worker may write nothing more. */
  constructor(
    readonly lease: Lease,
    readonly task: ClaimedTask,
    readonly abandoned: AbortSignal,
  ) {
    abandoned.addEventListener('abort', () => this.#given.abort(), { once: true })
  }

  get reason(): EndReason | null {
    return this.#reason
  }

  /** Aborted once nothing is worth waiting for that comes before the container's end. */
  get signal(): AbortSignal {
    return this.#given.signal
  }

  /** Resolves when it is in the database. @throws Fenced */
  get noted(): Promise<void> {
    return this.#noted
  }

  /** False when there was one before, which stays. */
  give(reason: EndReason): boolean {
    // Who wants the job ended does not wait for a container that would not die, as a peer's failure does.
    if (this.#reason === 'peer_failed' && endReasons[reason].fault === 'none') this.#reason = reason
    if (this.#reason) return false
    this.#reason = reason
    this.#given.abort()
    this.#noted = retryWrite(this.abandoned, 'stop', () => noteStop(this.lease, this.task, reason))
    this.#noted.catch(() => {})
    return true
  }

  /** Null when it came first: a pull may take many minutes. */
  unlessGiven<T>(work: Promise<T>): Promise<T | null> {
    return unlessAborted(work, this.signal)
  }
}
