import type { NodeLedger } from './node-ledger'
import type { Place } from './placer'
import type { QueueOrder } from './queue-order'
import type { Queue } from './queues'
import { findVictims, leavesCapacity, type Reservation } from './reservation'
import type { Placement, Preemption, WaitingJob } from './types'

/** What a pass needs of the scheduler. */
interface PassHost {
  queueOrder: QueueOrder
  nodes: readonly NodeLedger[]
  /** How many of the running jobs give way when asked. */
  preemptible: number
  firstBlocked(now: number): Queue | null
  start(job: WaitingJob, places: readonly Place[], now: number): Placement
}

/** The room kept for a job, and the queue whose first it is. */
interface Kept extends Reservation {
  queue: Queue
}

/** One pass over the queue: later jobs may go first where that does not delay the first one that cannot start. */
export class Pass {
  readonly placements: Placement[] = []
  /** For the first job in the queue's order that does not fit, once somebody comes after it. */
  #kept: Kept | null = null

  constructor(
    private readonly host: PassHost,
    private readonly now: number,
  ) {}

  /** Tries to place a queue's first job. False when nothing after it may be placed either. */
  tryFirst(queue: Queue): boolean {
    const { host, now } = this
    const job = queue.head?.job
    if (!job) return false
    const kept = this.#keptAheadOf(queue)
    if (kept && !host.queueOrder.policy.backfill) return false
    const { requestClass } = queue.bucket
    let refused = false
    const places = requestClass.placer.find(job.request.instances, (node, task) => {
      const leaves = kept === null || leavesCapacity(kept, node, task, now + job.expectedMs)
      refused ||= !leaves
      return leaves
    })
    if (places) {
      queue.shift()
      this.placements.push(host.start(job, places, now))
    } else if (refused && kept) {
      requestClass.longestMs = kept.at - now
    } else {
      requestClass.blocked = true
    }
    return true
  }

  /** Jobs of best effort that have to make room for the first blocked job. */
  preempt(): Preemption[] {
    const { nodes, preemptible } = this.host
    const job = preemptible === 0 ? null : (this.#kept?.queue ?? this.host.firstBlocked(this.now))?.head?.job
    if (!job || job.request.pool === 'best-effort') return []
    const victims = findVictims(job.request, nodes, this.now) ?? []
    for (const node of nodes) for (const victim of victims) node.evict(victim)
    return victims.map((jobId) => ({ jobId, forJobId: job.id }))
  }

  /**
   * The room kept for a job that is ahead of the queue's first; null when there is none. Who that is, is looked at only
   * now: under fair_share each placement before may have changed whose turn it is.
   */
  #keptAheadOf(queue: Queue): Reservation | null {
    const { host, now } = this
    while (!this.#kept) {
      const first = host.firstBlocked(now)
      if (!first || !host.queueOrder.goesBefore(first, queue)) return null
      const { requestClass } = first.bucket
      const kept = requestClass.earliestStarts.reserve(now)
      if (kept) this.#kept = { ...kept, queue: first }
      // Nothing that runs stands in its way: it holds up nobody.
      else requestClass.unschedulable = true
    }
    return host.queueOrder.goesBefore(this.#kept.queue, queue) ? this.#kept : null
  }
}
