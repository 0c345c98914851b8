import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, recordStopReason } from '@/lib/cluster/tasks/tasks'
import { type EndReason, endReasons } from '@/lib/contract/reasons'
import { retryWrite } from '../lease/retry-write'

/** Time between SIGTERM and SIGKILL. */
const defaultGraceMs = 10_000

/** The reason for which a task must stop, if any. A given reason is also stored in the database. */
export class StopRequest {
  #reason: EndReason | null = null
  #storing: Promise<void> = Promise.resolve()
  #graceMs = defaultGraceMs
  /** Set while the task must stop and its reason is not known yet. */
  #deciding: Promise<void> | null = null
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

  /** Whether the task must stop, even if the reason is not known yet. */
  get isStopping(): boolean {
    return this.#reason !== null || this.#deciding !== null
  }

  /** Time between SIGTERM and SIGKILL. */
  get graceMs(): number {
    return this.#reason === 'output_limit' ? 0 : this.#graceMs
  }

  /** Resolves when the reason is known, if there is one. Never rejects. */
  get decided(): Promise<void> {
    return this.#deciding ?? Promise.resolve()
  }

  /** Resolves when the reason is stored. @throws Fenced */
  get stored(): Promise<void> {
    return this.decided.then(() => this.#storing)
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
    this.#storing = retryWrite(this.abandoned, 'stop', () => recordStopReason(this.lease, this.task, reason))
    this.#storing.catch(() => {})
    return true
  }

  /** Like {@link set}, if the reason becomes known later. `reason` must not reject. A shorter grace always applies. */
  setLater(reason: Promise<EndReason>, graceMs: number): void {
    this.#graceMs = Math.min(this.#graceMs, graceMs)
    if (this.isStopping) return
    this.#requested.abort()
    this.#deciding = reason.then((known) => {
      this.set(known)
    })
  }
}
