import { Heap } from './heap'
import type { QueueOrder } from './queue-order'
import { type Candidate, comparePositions, type Queue } from './queues'
import { QuotaReservations } from './quotas'
import type { RequestClass } from './request-class'

/** The first jobs of the request classes that are not blocked, in queue order, during one pass. */
export class Candidates {
  readonly #heap = new Heap<Candidate>(comparePositions)

  constructor(
    requestClasses: Iterable<RequestClass>,
    private readonly queueOrder: QueueOrder,
    private readonly now: number,
  ) {
    for (const requestClass of requestClasses) {
      const candidate = requestClass.blocked ? null : requestClass.first()
      if (candidate) this.#heap.push(candidate)
    }
  }

  /**
   * Returns the queue whose first job is next. Within a pass, capacity and quotas only decrease, so a
   * candidate can only move back.
   */
  next(): Queue | null {
    const quotas = new QuotaReservations(this.queueOrder, this.now)
    for (let candidate = this.#heap.pop(); candidate; candidate = this.#heap.pop()) {
      const { requestClass } = candidate.queue.projectQueue
      const first = requestClass.blocked ? null : requestClass.firstWithin(quotas)
      if (first) this.#heap.push(first)
      if (first && comparePositions(first, candidate) === 0) return first.queue
    }
    return null
  }
}

/**
 * Returns the queue of the first blocked job in order, ignoring jobs that would not fit even on an empty cluster.
 */
export function firstBlocked(
  requestClasses: Iterable<RequestClass>,
  queueOrder: QueueOrder,
  now: number,
): Queue | null {
  const quotas = new QuotaReservations(queueOrder, now)
  let first: Candidate | null = null
  for (const requestClass of requestClasses) {
    const candidate =
      requestClass.blocked && !requestClass.unschedulable ? requestClass.firstWithin(quotas) : null
    if (candidate && (!first || comparePositions(candidate, first) < 0)) first = candidate
  }
  return first?.queue ?? null
}
