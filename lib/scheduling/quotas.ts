import { exceededQuota, gpuMilliOf, type QueueOrder } from './queue-order'
import {
  type Candidate,
  comparePositions,
  type HeldGpus,
  type QuotaQueue,
  type QuotaReader,
  type QuotaReservation,
} from './queues'

/**
 * Reserves part of each quota for its first blocked job, as a pass reserves capacity on nodes.
 * Without this, small jobs would use freed quota again and again, and a large job would wait for all of them.
 * Valid only for the state in which it is created.
 */
export class QuotaReservations implements QuotaReader {
  readonly #reservations = new Map<HeldGpus, QuotaReservation | null>()

  constructor(
    private readonly queueOrder: QueueOrder,
    private readonly now: number,
  ) {}

  reservationOf(held: HeldGpus): QuotaReservation | null {
    const cached = this.#reservations.get(held)
    if (cached !== undefined) return cached
    const reservation = this.#reserve(held)
    this.#reservations.set(held, reservation)
    return reservation
  }

  #reserve(held: HeldGpus): QuotaReservation | null {
    const unable = new Set<QuotaQueue>()
    for (;;) {
      const blocked = this.#firstBlocked(held, unable)
      if (!blocked) return null
      const reservation = this.#reserveFor(held, blocked)
      if (reservation) return reservation
      unable.add(blocked.queue)
    }
  }

  /** Returns the first blocked job of those that have a quota for these GPUs. */
  #firstBlocked(held: HeldGpus, unable: ReadonlySet<QuotaQueue>): Blocked | null {
    let first: Blocked | null = null
    for (const queue of held.queues) {
      const { requestClass, group } = queue
      const { request } = requestClass.placer
      const isBlocked =
        exceededQuota(group, request) !== null || (requestClass.blocked && !requestClass.unschedulable)
      if (!isBlocked || unable.has(queue)) continue
      const head = queue.head()
      const candidate = head && this.queueOrder.candidateOf(head)
      if (candidate && (!first || comparePositions(candidate, first.candidate) < 0))
        first = { queue, candidate }
    }
    return first
  }

  #reserveFor(held: HeldGpus, { queue, candidate }: Blocked): QuotaReservation | null {
    const { requestClass, group } = queue
    const gpuMilli = gpuMilliOf(requestClass.placer)
    if (group.quotas.some(({ milli }) => gpuMilli > milli)) return null
    const start = requestClass.earliestStarts.reserve(this.now)
    if (!start) return null
    if (!this.queueOrder.policy.backfill) return { candidate, longestMs: -1, spareMilli: -1 }
    const times = group.quotas.map((quota) => timeWhenHeld(quota.held, quota.milli - gpuMilli, this.now))
    const at = Math.max(start.at, ...times)
    const quotaMilli = group.quotas.find((quota) => quota.held === held)?.milli ?? 0
    return { candidate, longestMs: at - this.now, spareMilli: quotaMilli - gpuMilli - heldAfter(held, at) }
  }
}

/** A queue whose first job waits for capacity or for a quota, and that job. */
interface Blocked {
  queue: QuotaQueue
  candidate: Candidate
}

/** Returns the expected time at which at most `limitMilli` thousandths of GPUs are held. */
function timeWhenHeld({ holders, heldMilli }: HeldGpus, limitMilli: number, now: number): number {
  let held = heldMilli
  if (held <= limitMilli) return now
  for (const { endsAt, milli } of [...holders.values()].sort((a, b) => a.endsAt - b.endsAt)) {
    held -= milli
    if (held <= limitMilli) return Math.max(endsAt, now)
  }
  return Number.POSITIVE_INFINITY
}

function heldAfter({ holders }: HeldGpus, at: number): number {
  let held = 0
  for (const { endsAt, milli } of holders.values()) if (endsAt > at) held += milli
  return held
}
