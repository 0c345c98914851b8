import { splitDependencies } from '../contract/config/depends-on'
import { isFinal, type JobStatus } from '../contract/status'
import type { Transaction } from '../database/transaction'
import type { GroupConfig } from './group-config'

/**
 * Why no member may enter the queue before other jobs end, as a sentence; null: nothing prevents it; `never`: one of them did not complete.
 * Members wait in their group, because no limit counts jobs that wait for others in the queue.
 */
export async function findWait(
  tx: Transaction,
  { depends_on }: Pick<GroupConfig, 'depends_on'>,
): Promise<string | 'never' | null> {
  const { jobIds } = splitDependencies(depends_on)
  if (jobIds.length === 0) return null
  const { rows } = await tx.query<{ status: JobStatus }>(
    'SELECT status FROM jobs WHERE id = ANY ($1::uuid[])',
    [jobIds],
  )
  if (rows.length < jobIds.length || rows.some(({ status }) => isFinal(status) && status !== 'completed'))
    return 'never'
  const waiting = rows.filter(({ status }) => !isFinal(status)).length
  return waiting === 0 ? null : `It waits for ${waiting} other ${waiting === 1 ? 'job' : 'jobs'} to complete.`
}

/** Cancels the members that a group holds, because a job that it depends on did not complete. Returns how many have entered the queue: none. */
export async function cancelHeld(tx: Transaction, id: string): Promise<0> {
  await tx.query(`UPDATE group_members SET state = 'cancelled' WHERE group_id = $1 AND state = 'held'`, [id])
  await tx.query(
    `UPDATE job_groups SET held = 0, code = '', cancelled_at = coalesce(cancelled_at, now()),
            problem = 'A job that the group depends on did not complete, so its members cannot start.' WHERE id = $1`,
    [id],
  )
  return 0
}
