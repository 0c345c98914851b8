import { gpuMilliOf, type QueueOrder } from './queue-order'
import { comparePositions, type ProjectAccount, type QuotaReader, type QuotaReservation } from './queues'

/**
 * Reserves part of each project's quota for its first blocked job, as a pass reserves capacity on nodes.
 * Without this, small jobs would use freed quota again and again, and a large job would wait for all of them.
 * Valid only for the state in which it is created.
 */
export class QuotaReservations implements QuotaReader {
  readonly #reservations = new Map<ProjectAccount, QuotaReservation | null>()

  constructor(
    private readonly queueOrder: QueueOrder,
    private readonly now: number,
  ) {}

  reservationOf(project: ProjectAccount): QuotaReservation | null {
    const cached = this.#reservations.get(project)
    if (cached !== undefined) return cached
    const reservation =
      project.exhausted || project.quotaMilli === null ? null : this.#reserve(project, project.quotaMilli)
    this.#reservations.set(project, reservation)
    return reservation
  }

  #reserve(project: ProjectAccount, quotaMilli: number): QuotaReservation | null {
    const { queueOrder, now } = this
    const candidates = project.queues.flatMap((queue) => {
      const { requestClass } = queue
      const isBlocked =
        queueOrder.isOverQuota(project, requestClass.placer.request) ||
        (requestClass.blocked && !requestClass.unschedulable)
      const head = isBlocked ? queue.head() : null
      return head ? queueOrder.candidateOf(head) : []
    })
    for (const candidate of candidates.sort(comparePositions)) {
      const { requestClass } = candidate.queue.projectQueue
      const leftMilli = quotaMilli - gpuMilliOf(requestClass.placer)
      const start = leftMilli < 0 ? null : requestClass.earliestStarts.reserve(now)
      if (!start) continue
      const at = Math.max(start.at, timeWhenHeld(project, leftMilli, now))
      if (!queueOrder.policy.backfill) return { candidate, longestMs: -1, spareMilli: -1 }
      return { candidate, longestMs: at - now, spareMilli: leftMilli - heldAfter(project, at) }
    }
    return null
  }
}

/** Returns the expected time at which the project holds at most `limitMilli` thousandths of GPUs. */
function timeWhenHeld({ holders, heldMilli }: ProjectAccount, limitMilli: number, now: number): number {
  let held = heldMilli
  if (held <= limitMilli) return now
  for (const { endsAt, milli } of [...holders.values()].sort((a, b) => a.endsAt - b.endsAt)) {
    held -= milli
    if (held <= limitMilli) return Math.max(endsAt, now)
  }
  return Number.POSITIVE_INFINITY
}

function heldAfter({ holders }: ProjectAccount, at: number): number {
  let held = 0
  for (const { endsAt, milli } of holders.values()) if (endsAt > at) held += milli
  return held
}
