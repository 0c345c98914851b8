import { type Actor, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { GpuqError } from '../contract/errors'
import { isFinal, type JobStatus } from '../contract/status'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { findVisibleJob } from '../jobs/read/job-visibility'

/**
 * Gives a waiting job another priority.
 * @throws 409 when it waits no longer: where a job runs, its priority means nothing.
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
  const where = isFinal(status) ? `has ended: it is ${status}` : 'has been given its place already'
  return `The job ${where}. Only a waiting job's priority can be changed.`
}
