import type { NodeLedger } from './node-ledger'
import type { NodePlacement } from './placer'
import type { QueueOrder } from './queue-order'
import type { Queue } from './queues'
import { findVictims, type Reservation, respectsReservation } from './reservation'
import type { Placement, Preemption, WaitingJob } from './types'

/** What a pass needs from the scheduler. */
interface PassHost {
  queueOrder: QueueOrder
  nodes: readonly NodeLedger[]
  /** Number of running jobs that may be preempted. */
  preemptible: number
  firstBlocked(now: number): Queue | null
  start(job: WaitingJob, places: readonly NodePlacement[], now: number): Placement
}

/** One pass over the queue. A later job may start first if it does not delay the first blocked job (backfill). */
export class Pass {
  readonly placements: Placement[] = []
  /** For the first blocked job in queue order, which is the first of `queue`. Computed only when another job comes after it. */
  #reservation: (Reservation & { queue: Queue }) | null = null

  constructor(
    private readonly host: PassHost,
    private readonly now: number,
  ) {}

  /** Tries to place the first job of a queue. Returns false if no later job may be placed in this pass. */
  tryFirst(queue: Queue): boolean {
    const { host, now } = this
    const job = queue.head?.job
    if (!job) return false
    const reservation = this.#reservationAheadOf(queue)
    if (reservation && !host.queueOrder.policy.backfill) return false
    const { requestClass } = queue.projectQueue
    let refused = false
    const places = requestClass.placer.find(job.request.instances, (node, task) => {
      const isAllowed =
        reservation === null || respectsReservation(reservation, node, task, now + job.expectedMs)
      refused ||= !isAllowed
      return isAllowed
    })
    if (places) {
      queue.shift()
      this.placements.push(host.start(job, places, now))
    } else if (refused && reservation) {
      requestClass.longestMs = reservation.at - now
    } else {
      requestClass.blocked = true
    }
    return true
  }

  /** Selects the best-effort jobs to preempt for the first blocked job. */
  preempt(): Preemption[] {
    const { nodes, preemptible } = this.host
    const job =
      preemptible === 0 ? null : (this.#reservation?.queue ?? this.host.firstBlocked(this.now))?.head?.job
    if (!job || job.request.pool === 'best-effort') return []
    const victims = findVictims(job.request, nodes, this.now) ?? []
    for (const node of nodes) for (const victim of victims) node.evict(victim)
    return victims.map((jobId) => ({ jobId, forJobId: job.id }))
  }

  /**
   * Returns the reservation of a job that precedes the queue's first job, or null. The first blocked job is
   * determined only here, because under fair_share each earlier placement may have changed the order.
   */
  #reservationAheadOf(queue: Queue): Reservation | null {
    const { host, now } = this
    while (!this.#reservation) {
      const first = host.firstBlocked(now)
      if (!first || !host.queueOrder.goesBefore(first, queue)) return null
      const { requestClass } = first.projectQueue
      const reservation = requestClass.earliestStarts.reserve(now)
      if (reservation) this.#reservation = { ...reservation, queue: first }
      // It would not start even if all running jobs ended, so it blocks no other job.
      else requestClass.unschedulable = true
    }
    return host.queueOrder.goesBefore(this.#reservation.queue, queue) ? this.#reservation : null
  }
}
