import { gpuMilliOf } from './queue-order'
import type { ProjectAccount } from './queues'
import type { Scheduler } from './scheduler'
import type { WaitCause, Waiting } from './types'

/** What a job waits for whose turn does not come by another job's end: it holds nobody up. */
const apart: ReadonlySet<WaitCause> = new Set([
  'backing_off',
  'budget',
  'never_fits',
  'no_node',
  'provisioning',
])
/** Enough until the next pass, however many jobs end before it. */
const most = 32

/**
 * The jobs that come next, in their turn, as far as that is sure: when a job ends and the first of them that still waits
 * fits into what that gave back, the next pass would place it too, whatever else ended meanwhile. So the list ends
 * before a job of several instances, and before a job that a project's quota or the policy may still hold up. Under
 * fair_share each end and each start may change whose turn it is: unless all jobs are of one user in one project, none is
 * sure.
 *
 * @param waiting why the scheduler's waiting jobs wait, after a decision.
 */
export function dispatchCandidates(scheduler: Scheduler, waiting: ReadonlyMap<string, Waiting>): string[] {
  const { queueOrder, running } = scheduler
  const { name, maxConcurrentJobs } = queueOrder.policy
  const jobs = scheduler.inTurn().filter(({ id }) => {
    const cause = waiting.get(id)?.reason
    const isHopeless = scheduler.waiting.get(id)?.queue?.bucket.requestClass.unschedulable
    return cause !== undefined && !apart.has(cause) && !isHopeless
  })
  if (name === 'fair_share' && new Set(jobs.map((job) => queueOrder.shareKey(job))).size > 1) return []
  const length = maxConcurrentJobs === null ? most : Math.min(most, maxConcurrentJobs - running.size)
  const held = new Map<ProjectAccount, number>()
  const line: string[] = []
  for (const job of jobs) {
    const { project } = queueOrder.shareKey(job)
    const holds = (held.get(project) ?? project.heldMilli) + gpuMilliOf(job)
    const isOver = holds > (project.quotaMilli ?? Number.POSITIVE_INFINITY)
    if (line.length >= length || isOver || job.request.instances > 1) break
    held.set(project, holds)
    line.push(job.id)
  }
  return line
}
