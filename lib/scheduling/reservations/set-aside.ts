import type { QueueOrder } from '../queue-order'
import type { Queue } from '../queues'
import type { PolicyName, WaitingJob } from '../types'

/**
 * Blocked jobs that have a reservation in a pass. Until its end they are not in their queues, and their projects are
 * charged as if they had started. So the next reservation goes to the project that is next then.
 */
export class SetAside {
  readonly #jobs: { job: WaitingJob; usage: number }[] = []

  constructor(private readonly queueOrder: QueueOrder) {}

  /** Removes the first job of a queue. */
  add(queue: Queue, now: number): void {
    const job = queue.head?.job
    if (!job) return
    queue.shift()
    this.#jobs.push({ job, usage: this.queueOrder.chargeProject(job, now, job.expectedMs) })
  }

  /** Takes back all charges and returns the jobs, which belong into their queues again. */
  takeAll(): WaitingJob[] {
    const jobs = this.#jobs.splice(0)
    for (const { job, usage } of jobs) this.queueOrder.refundProject(job, usage)
    return jobs.map(({ job }) => job)
  }
}

/** Under fair_share, and under the other policies. */
const maxReservations = { fairShare: 8, ordered: 2 }
/** A cluster with more nodes is large. */
const largeCluster = 64

/**
 * Returns how many blocked jobs may have a reservation. With only one, later jobs can delay the second blocked job again and again:
 * large jobs wait longer, and their forecasts are wrong. With more of them, short jobs wait longer. Under fair_share, a project's large jobs get their
 * share only if several nodes are emptied for them at once. On a large cluster whole nodes become free more often, and each
 * reservation takes milliseconds.
 */
export function maxReservationsOn(nodes: number, policy: PolicyName): number {
  const most = policy === 'fair_share' ? maxReservations.fairShare : maxReservations.ordered
  return nodes > largeCluster ? 1 : Math.max(1, Math.min(most, nodes >> 1))
}
