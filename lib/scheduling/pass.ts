import type { NodeBook } from './node-book'
import type { Place } from './placer'
import type { Queue } from './queues'
import { findVictims, leavesRoom, type Reservation } from './reservation'
import type { Turns } from './turns'
import type { Placement, Preemption, WaitingJob } from './types'

/** What a pass needs of the scheduler. */
interface PassHost {
  turns: Turns
  nodes: readonly NodeBook[]
  /** How many of the running jobs give way when asked. */
  preemptible: number
  firstBlocked(): Queue | null
  start(job: WaitingJob, places: readonly Place[], now: number): Placement
}

/** One pass over the queue: later jobs may go first where that does not delay the first one that cannot start. */
export class Pass {
  readonly placements: Placement[] = []
  /** The first job in the queue's order that does not fit, and the room that is kept for it once that is asked for. */
  #blocked: Queue | null
  #kept: Reservation | null = null

  constructor(
    private readonly host: PassHost,
    private readonly now: number,
  ) {
    this.#blocked = host.firstBlocked()
  }

  /** Tries to place a queue's first job. False when nothing after it may be placed either. */
  tryFirst(queue: Queue): boolean {
    const { host, now } = this
    const job = queue.head?.job
    if (!job) return false
    const kept = this.#keptAheadOf(queue)
    if (kept && !host.turns.policy.backfill) return false
    const { shape } = queue.bin
    let refused = false
    const places = shape.placer.find(job.request.instances, (node, task) => {
      const leaves = kept === null || leavesRoom(kept, node, task, now + job.expectedMs)
      refused ||= !leaves
      return leaves
    })
    if (places) {
      queue.shift()
      this.placements.push(host.start(job, places, now))
    } else if (refused && kept) {
      shape.longestMs = kept.at - now
    } else {
      shape.blocked = true
      if (!kept) this.#blocked = queue
    }
    return true
  }

  /** Jobs of best effort that have to make room for the first blocked job. */
  preempt(): Preemption[] {
    const job = this.#blocked?.head?.job
    const { nodes } = this.host
    if (!job || job.request.pool === 'best-effort' || this.host.preemptible === 0) return []
    const victims = findVictims(job.request, nodes, this.now) ?? []
    for (const node of nodes) for (const victim of victims) node.evict(victim)
    return victims.map((jobId) => ({ jobId, forJobId: job.id }))
  }

  /** The room kept for a job that is ahead of the queue's first; null when there is none. */
  #keptAheadOf(queue: Queue): Reservation | null {
    const { host, now } = this
    while (this.#blocked && host.turns.goesBefore(this.#blocked, queue)) {
      const { shape } = this.#blocked.bin
      this.#kept ??= shape.openings.reserve(now)
      if (this.#kept) return this.#kept
      // Nothing that runs stands in its way: it holds up nobody.
      shape.hopeless = true
      this.#blocked = host.firstBlocked()
    }
    return null
  }
}
