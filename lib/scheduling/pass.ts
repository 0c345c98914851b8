import type { SetAside } from './fair-share/set-aside'
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
  /** Maximum number of blocked jobs with a reservation. */
  maxReservations: number
  setAside: SetAside
  start(job: WaitingJob, places: readonly NodePlacement[], now: number): Placement
}

/** One pass over the queue. A later job may start first if it does not delay the jobs with a reservation (backfill). */
export class Pass {
  readonly placements: Placement[] = []
  /** For the first blocked jobs in queue order. Computed only when another job comes after them. */
  readonly #reservations: (Reservation & { job: WaitingJob })[] = []

  constructor(
    private readonly host: PassHost,
    private readonly now: number,
  ) {}

  /** Tries to place the first job of a queue. Returns false if no later job may be placed in this pass. */
  tryFirst(queue: Queue): boolean {
    const { host, now } = this
    const job = queue.head?.job
    if (!job) return false
    this.#reserveAheadOf(queue)
    if (this.#reservations.length > 0 && !host.queueOrder.policy.backfill) return false
    const { requestClass } = queue.projectQueue
    let refusedUntil = 0
    const places = requestClass.placer.find(job.request.instances, (node, task) => {
      const refusing = this.#reservations.filter(
        (reservation) => !respectsReservation(reservation, node, task, now + job.expectedMs),
      )
      refusedUntil = Math.max(refusedUntil, ...refusing.map(({ at }) => at))
      return refusing.length === 0
    })
    if (places) {
      queue.shift()
      this.placements.push(host.start(job, places, now))
    } else if (refusedUntil > 0) {
      requestClass.longestMs = refusedUntil - now
    } else {
      requestClass.blocked = true
    }
    return true
  }

  /** Selects the best-effort jobs to preempt for the first blocked job, and ends the pass. */
  preempt(): Preemption[] {
    const { nodes, preemptible } = this.host
    const job =
      preemptible === 0 ? null : (this.#reservations[0]?.job ?? this.host.firstBlocked(this.now)?.head?.job)
    if (!job || job.request.pool === 'best-effort') return []
    const victims = findVictims(job.request, nodes, this.now) ?? []
    for (const node of nodes) for (const victim of victims) node.evict(victim)
    return victims.map((jobId) => ({ jobId, forJobId: job.id }))
  }

  /**
   * Reserves capacity for the first blocked jobs that precede the queue's first job. They are determined only here,
   * because under fair_share each earlier placement may have changed the order.
   */
  #reserveAheadOf(queue: Queue): void {
    const { host, now } = this
    while (this.#reservations.length < host.maxReservations) {
      const first = host.firstBlocked(now)
      const job = first?.head?.job
      if (!first || !job || !host.queueOrder.goesBefore(first, queue)) return
      const { requestClass } = first.projectQueue
      const taken = new Set(this.#reservations.flatMap(({ nodes }) => [...nodes]))
      const reservation = requestClass.earliestStarts.reserve(now, taken)
      if (reservation) {
        this.#reservations.push({ ...reservation, job })
        if (host.maxReservations > 1) host.setAside.add(first, now)
      } else if (taken.size > 0) {
        return
      }
      // It would not start even if all running jobs ended, so it blocks no other job.
      else requestClass.unschedulable = true
    }
  }
}
