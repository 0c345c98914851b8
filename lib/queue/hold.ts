import { type Actor, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict } from '../contract/errors'
import { isFinal, type JobStatus } from '../contract/status'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { readWait } from '../jobs/dependencies/open-dependencies'
import { findChangeableJob } from '../jobs/read/job-visibility'
import { holdJob } from '../jobs/state/hold'

/**
 * Holds a waiting job, so that it does not start, or releases it. The state that it has already is no error. A job that is
 * released still waits for an approval, and for the jobs that it depends on. Under Slurm, the leader holds and releases the Slurm job.
 * @throws 409 if the job no longer waits, or its group has paused it.
 */
export async function setHeld(actor: Actor, jobId: string, held: boolean): Promise<void> {
  requireScope(actor, 'submit')
  const { id, userId } = await findChangeableJob(actor, jobId)
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ status: JobStatus; held: boolean; paused: boolean }>(
      `SELECT status, held AND coalesce(reason NOT IN ('dependency', 'approval_needed'), true) AS held,
              status = 'pending' AND reason IS NOT DISTINCT FROM 'group_paused' AS paused
         FROM jobs WHERE id = $1 FOR UPDATE`,
      [id],
    )
    const [job] = rows
    if (!job) throw new Error(`job ${id} vanished`)
    if (job.status !== 'pending') throw conflict(tooLate(job.status))
    if (job.paused) throw conflict(held ? pausedToHold : pausedToRelease)
    if (job.held === held) return
    await holdJob(tx, id, held, await readWait(tx, id))
    if (userId === actor.userId) return
    const action = held ? 'job_held' : 'job_released'
    await recordAudit(tx, { actorId: actor.userId, action, target: id, detail: {} })
  })
  wakeLeader()
}

const paused = 'The group of the job has paused it, and lets it continue if it is among the best later.'
const pausedToHold = `${paused} To prevent that, cancel the job.`
const pausedToRelease = `${paused} To run it now, cancel it and run it again: it then continues from its checkpoints.`

function tooLate(status: JobStatus): string {
  const where = isFinal(status) ? `has ended: it is ${status}` : 'already has a node'
  return `The job ${where}. You can hold or release a job only while it waits.`
}
