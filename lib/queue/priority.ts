import { type Actor, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { GpuqError } from '../contract/errors'
import { isFinal, type JobStatus } from '../contract/status'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { findVisibleJob } from '../jobs/read/job-visibility'

/**
 * Changes the priority of a waiting job.
 * @throws 409 if it no longer waits, because the priority of a placed job has no effect.
 */
export async function setPriority(actor: Actor, jobId: string, priority: number): Promise<void> {
  requireScope(actor, 'submit')
  const { id, userId } = await findVisibleJob(actor, jobId)
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ status: JobStatus; priority: number }>(
      'SELECT status, priority FROM jobs WHERE id = $1 FOR UPDATE',
      [id],
    )
    const [job] = rows
    if (!job) throw new Error(`job ${id} vanished`)
    if (job.status !== 'pending') throw new GpuqError('conflict', tooLate(job.status))
    if (job.priority === priority) return
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
