import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, recordStopReason } from '@/lib/cluster/tasks/tasks'
import { type EndReason, endReasons } from '@/lib/contract/reasons'
import { retryWrite } from '../lease/retry-write'

/** The reason for which a task must stop, if any. A given reason is also stored in the database. */
export class StopRequest {
  #reason: EndReason | null = null
  /** Resolves when the reason is stored. @throws Fenced */
  stored: Promise<void> = Promise.resolve()
  readonly #requested = new AbortController()

  /** @param abandoned aborted when this worker may write nothing more. */
  constructor(
    readonly lease: Lease,
    readonly task: ClaimedTask,
    readonly abandoned: AbortSignal,
  ) {
    abandoned.addEventListener('abort', () => this.#requested.abort(), { once: true })
  }

  get reason(): EndReason | null {
    return this.#reason
  }

  /** Aborted when only the end of the container is worth waiting for. */
  get signal(): AbortSignal {
    return this.#requested.signal
  }

  /** Returns false if there already was a reason, which stays. */
  set(reason: EndReason): boolean {
    // A cancellation replaces a peer's failure, because it does not wait for a container that could not be killed.
    if (this.#reason === 'peer_failed' && endReasons[reason].fault === 'none') this.#reason = reason
    if (this.#reason) return false
    this.#reason = reason
    this.#requested.abort()
    this.stored = retryWrite(this.abandoned, 'stop', () => recordStopReason(this.lease, this.task, reason))
    this.stored.catch(() => {})
    return true
  }
}
