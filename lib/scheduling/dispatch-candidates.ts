import { blocksOthers, type Waiting } from './explain'
import { gpuMilliOf } from './queue-order'
import type { HeldGpus } from './queues'
import type { Scheduler } from './scheduler'

/** Enough for all jobs that end before the next pass. */
const maxCandidates = 32

/**
 * Returns the waiting jobs that a worker may start without a scheduling pass, in queue order. When a job ends
 * and the first of these that still waits fits into the freed resources, the next pass would also place it,
 * whatever else ended in the meantime. The list therefore ends before a job with several instances, and
 * before a job that a quota or the policy may still block. Under fair_share, each end and each start
 * may change the order: the list is empty unless all jobs belong to one user in one project.
 * @param waiting why each job of the scheduler waits, after a decision.
 */
export function dispatchCandidates(scheduler: Scheduler, waiting: ReadonlyMap<string, Waiting>): string[] {
  const { queueOrder, running } = scheduler
  const { name, maxConcurrentJobs } = queueOrder.policy
  const jobs = scheduler.inQueueOrder().filter(({ id }) => {
    const cause = waiting.get(id)?.reason
    const isUnschedulable = scheduler.waiting.get(id)?.queue?.projectQueue.requestClass.unschedulable
    return cause !== undefined && blocksOthers(cause) && !isUnschedulable
  })
  if (name === 'fair_share' && new Set(jobs.map((job) => queueOrder.shareKey(job))).size > 1) return []
  const limit =
    maxConcurrentJobs === null ? maxCandidates : Math.min(maxCandidates, maxConcurrentJobs - running.size)
  const heldMilli = new Map<HeldGpus, number>()
  const candidates: string[] = []
  for (const job of jobs) {
    const { quotas } = queueOrder.shareKey(job).group
    const gpuMilli = gpuMilliOf(job)
    const heldOf = (held: HeldGpus) => heldMilli.get(held) ?? held.heldMilli
    const isOver = gpuMilli > 0 && quotas.some(({ milli, held }) => heldOf(held) + gpuMilli > milli)
    if (candidates.length >= limit || isOver || job.request.instances > 1) break
    for (const { held } of quotas) heldMilli.set(held, heldOf(held) + gpuMilli)
    candidates.push(job.id)
  }
  return candidates
}
