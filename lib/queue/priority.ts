import { type Actor, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { type Limits, limitsOf } from '../access/limits'
import { readEffectiveLimits } from '../access/role-limits'
import { conflict } from '../contract/errors'
import { isFinal, type JobStatus } from '../contract/status'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { findChangeableJob } from '../jobs/read/job-visibility'
import { requirePriorityWithinLimits } from '../jobs/submission/job-limits'

/**
 * Changes the priority of a waiting job.
 * @throws 409 if it no longer waits, because the priority of a placed job has no effect; 422 above the caller's limit.
 */
export async function setPriority(actor: Actor, jobId: string, priority: number): Promise<void> {
  requireScope(actor, 'submit')
  const { id, userId } = await findChangeableJob(actor, jobId)
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ status: JobStatus; priority: number; limits: Limits }>(
      `SELECT j.status, j.priority, ${limitsOf('p')} FROM jobs j JOIN projects p ON p.id = j.project_id
        WHERE j.id = $1 FOR UPDATE OF j`,
      [id],
    )
    const [job] = rows
    if (!job) throw new Error(`job ${id} vanished`)
    if (job.status !== 'pending') throw conflict(tooLate(job.status))
    if (job.priority === priority) return
    const { job: limits } = await readEffectiveLimits(tx, actor, job.limits)
    requirePriorityWithinLimits(priority, job.priority, limits)
    await tx.query('UPDATE jobs SET priority = $2 WHERE id = $1', [id, priority])
    if (userId === actor.userId) return
    const detail = { from: job.priority, to: priority }
    await recordAudit(tx, { actorId: actor.userId, action: 'job_priority_changed', target: id, detail })
  })
  wakeLeader()
}

function tooLate(status: JobStatus): string {
  const where = isFinal(status) ? `has ended: it is ${status}` : 'already has a node'
  return `The job ${where}. You can change the priority only while the job waits.`
}
