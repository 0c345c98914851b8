import { sleep } from '@/lib/async/sleep'
import { leaseTimes } from '@/lib/cluster/nodes/lease-times'
import { type Lease, renewLease } from '@/lib/cluster/nodes/nodes'
import { logger } from '@/lib/logger'

/** After a renewal that failed. */
const retryEveryMs = 500
/** A process that was stopped comes back late, and still gets this long an answer: the leader waits a third of a lease more. */
const lastTryMs = 2_000

/** How a lease came to its end here. */
type LeaseEnd = 'expired' | 'taken' | 'ended'

/** Keeps one lease, and knows whether it is surely held. */
export class LeaseRenewer {
  readonly #times = leaseTimes()
  #renewed: number
  #lost = false

  /** `asked`: when the lease was asked for, by `performance.now()`. */
  constructor(
    readonly lease: Lease,
    asked: number,
  ) {
    this.#renewed = asked
  }

  /** True while nobody else can have been given this node's jobs, by this machine's monotonic clock. */
  get held(): boolean {
    return !this.#lost && this.#leftMs > 0
  }

  get #leftMs(): number {
    return this.#renewed + this.#times.selfFenceAfterMs - performance.now()
  }

  /**
   * Renews the lease until it is lost or `signal` ends it. `expired` means: the database says so, or it has not
   * answered for two thirds of a lease. Both come before anyone else may start this node's jobs.
   */
  async keep(signal: AbortSignal): Promise<LeaseEnd> {
    const { renewEveryMs } = this.#times
    for (let wait = renewEveryMs; ; ) {
      await sleep(Math.max(0, Math.min(wait, this.#leftMs)), signal)
      if (signal.aborted) return 'ended'
      const asked = performance.now()
      const answer = await this.#renew(signal)
      if (answer === 'renewed') this.#renewed = asked
      else if (answer !== 'unknown') return this.#lose(answer)
      else if (signal.aborted) return 'ended'
      else if (this.#leftMs <= 0) return this.#lose('expired')
      wait = answer === 'renewed' ? renewEveryMs : retryEveryMs
    }
  }

  #lose(end: LeaseEnd): LeaseEnd {
    this.#lost = true
    return end
  }

  /** `unknown` when the database does not answer in time. */
  #renew(signal: AbortSignal): Promise<'renewed' | 'expired' | 'taken' | 'unknown'> {
    const unknown = () => 'unknown' as const
    return Promise.race([
      renewLease(this.lease).catch((error: unknown) => {
        logger.warn({ err: error }, 'the lease could not be renewed, trying again')
        return unknown()
      }),
      sleep(Math.max(lastTryMs, this.#leftMs), signal).then(unknown),
    ])
  }
}
