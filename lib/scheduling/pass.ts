import type { NodeLedger } from './node-ledger'
import type { NodePlacement } from './placer'
import type { QueueOrder } from './queue-order'
import type { Queue } from './queues'
import { findVictims, type Reservation, respectsReservation } from './reservations/reservation'
import type { SetAside } from './reservations/set-aside'
import type { Placement, Preemption, WaitingJob } from './types'

/** What a pass needs from the scheduler. */
interface PassHost {
  queueOrder: QueueOrder
  nodes: readonly NodeLedger[]
  /** Number of running jobs that may be preempted. */
  preemptible: number
  /** Whether any job waits whose class is not blocked. */
  hasOpenClass: boolean
  /** Maximum number of blocked jobs with a reservation. */
  maxReservations: number
  setAside: SetAside
  start(job: WaitingJob, places: readonly NodePlacement[], now: number): Placement
}

/** One pass over the queue. A later job may start first if it does not delay the jobs with a reservation (backfill). */
export class Pass {
  readonly placements: Placement[] = []
  /** For the first blocked jobs in queue order. */
  readonly #reservations: (Reservation & { job: WaitingJob })[] = []
  /** Whether a blocked job may still get a reservation. */
  mayReserve = true

  constructor(
    private readonly host: PassHost,
    private readonly now: number,
  ) {}

  /**
   * Places the first job of a queue, or reserves capacity for it if its class is blocked. Returns false if no later job may
   * be placed in this pass.
   */
  tryFirst(queue: Queue): boolean {
    const job = queue.head?.job
    if (!job) return false
    if (!queue.projectQueue.requestClass.blocked) {
      this.#place(queue, job)
      return true
    }
    // A reservation costs time, and matters only to later jobs that could start, or to preempt others.
    const isNeeded = this.host.hasOpenClass || (this.host.preemptible > 0 && this.#reservations.length === 0)
    if (!isNeeded) return false
    this.#reserve(queue, job)
    return this.#reservations.length === 0 || this.host.queueOrder.policy.backfill
  }

  /** Selects the best-effort jobs to preempt for the first blocked job, and ends the pass. */
  preempt(): Preemption[] {
    const { nodes, preemptible } = this.host
    const job = this.#reservations[0]?.job
    if (preemptible === 0 || !job || job.request.pool === 'best-effort') return []
    const victims = findVictims(job.request, nodes, this.now) ?? []
    for (const node of nodes) for (const victim of victims) node.evict(victim)
    return victims.map((jobId) => ({ jobId, forJobId: job.id }))
  }

  #place(queue: Queue, job: WaitingJob): void {
    const { host, now } = this
    const { requestClass } = queue.projectQueue
    const endsAt = now + job.expectedMs
    let refusedUntil = 0
    const places = requestClass.placer.find(job.request.instances, (node, task) => {
      let isAllowed = true
      for (const reservation of this.#reservations) {
        if (respectsReservation(reservation, node, task, endsAt)) continue
        refusedUntil = Math.max(refusedUntil, reservation.at)
        isAllowed = false
      }
      return isAllowed
    })
    if (places) {
      queue.shift()
      this.placements.push(host.start(job, places, now))
    } else if (refusedUntil > 0) {
      requestClass.longestMs = refusedUntil - now
    } else {
      requestClass.blocked = true
    }
  }

  /** Reserves capacity for the first job of a blocked class. */
  #reserve(queue: Queue, job: WaitingJob): void {
    const { host, now } = this
    const { requestClass } = queue.projectQueue
    const taken = new Set(this.#reservations.flatMap(({ nodes }) => [...nodes]))
    const reservation = requestClass.earliestStarts.reserve(now, taken)
    if (reservation) {
      this.#reservations.push({ ...reservation, job })
      this.mayReserve = this.#reservations.length < host.maxReservations
      if (host.maxReservations > 1) host.setAside.add(queue, now)
    } else if (taken.size > 0) {
      this.mayReserve = false
    }
    // It would not start even if all running jobs ended, so it blocks no other job.
    else requestClass.unschedulable = true
  }
}
