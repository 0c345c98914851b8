import { sleep, unlessAborted, withTimeout } from '@/lib/async/sleep'
import { leaseTimes } from '@/lib/cluster/nodes/lease-times'
import { type Lease, renewLease } from '@/lib/cluster/nodes/nodes'
import { logger } from '@/lib/logger'

/** Interval after a failed renewal. */
const retryIntervalMs = 500
/** A process that was suspended still gets this long for a last renewal. The leader waits a more third of a lease. */
const lastAttemptMs = 2_000

/** When a lease is renewed, and when it counts as lost here. */
export type RenewalTimes = Pick<ReturnType<typeof leaseTimes>, 'renewEveryMs' | 'selfFenceAfterMs'>

/** Why a lease ended here. */
type LeaseEnd = 'expired' | 'taken' | 'ended'

/** Renews one lease, and knows whether it is certainly held. */
export class LeaseRenewer {
  #renewed: number
  #lost = false

  /** @param requestedAt when the lease was requested, by `performance.now()`. */
  constructor(
    readonly lease: Lease,
    requestedAt: number,
    readonly times: RenewalTimes = leaseTimes(),
  ) {
    this.#renewed = requestedAt
  }

  /** True while nobody else can have received this node's jobs, by this machine's monotonic clock. */
  get held(): boolean {
    return !this.#lost && this.#leftMs > 0
  }

  get #leftMs(): number {
    return this.#renewed + this.times.selfFenceAfterMs - performance.now()
  }

  /**
   * Renews the lease until it is lost or `signal` is aborted. `expired` means that the database says so or has not
   * answered for two thirds of a lease. Both happen before anyone else may start this node's jobs.
   */
  async run(signal: AbortSignal): Promise<LeaseEnd> {
    const { renewEveryMs } = this.times
    for (let wait = renewEveryMs; ; ) {
      await sleep(Math.max(0, Math.min(wait, this.#leftMs)), signal)
      if (signal.aborted) return 'ended'
      const requestedAt = performance.now()
      const answer = await this.#renew(signal)
      if (answer === 'renewed') this.#renewed = requestedAt
      else if (answer !== 'unknown') return this.#lose(answer)
      else if (signal.aborted) return 'ended'
      else if (this.#leftMs <= 0) return this.#lose('expired')
      wait = answer === 'renewed' ? renewEveryMs : retryIntervalMs
    }
  }

  #lose(end: LeaseEnd): LeaseEnd {
    this.#lost = true
    return end
  }

  /** Returns `unknown` if the database does not answer in time. */
  async #renew(signal: AbortSignal): Promise<'renewed' | 'expired' | 'taken' | 'unknown'> {
    const unknown = () => 'unknown' as const
    const renewing = renewLease(this.lease).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not renew the lease, retrying')
      return unknown()
    })
    const limitMs = Math.max(lastAttemptMs, this.#leftMs)
    return (await withTimeout(unlessAborted(renewing, signal), limitMs, unknown)) ?? unknown()
  }
}
