import type { Dependency } from '../contract/config/depends-on'
import type { Transaction } from '../database/transaction'
import type { Wait } from '../jobs/dependencies/find-dependencies'
import { describeFailed, describeWait, readPrerequisites, stateOf } from '../jobs/dependencies/prerequisites'

/** Why a group waits that has these dependencies. Its members wait in it, because no limit counts jobs that wait for others in the queue. */
export const sentenceOf = ({ sentence }: Pick<Wait, 'sentence'>) => `It waits for others. ${sentence}`

/** Keeps the members of a new group from entering the queue until others have ended. */
export async function insertGroupDependencies(
  tx: Transaction,
  id: string,
  { dependencies, sentence }: Wait,
): Promise<void> {
  await tx.query(
    `INSERT INTO group_dependencies (group_id, depends_on, condition)
     SELECT $1, * FROM unnest($2::uuid[], $3::"DependencyCondition"[])`,
    [id, dependencies.map((one) => one.id), dependencies.map(({ when }) => when)],
  )
  await tx.query('UPDATE job_groups SET problem = $2 WHERE id = $1', [id, sentenceOf({ sentence })])
}

/**
 * Settles the dependencies of a group that the caller has locked: what is met counts for good, so a group that its user continues later
 * does not hold this one again.
 * @returns why no member may enter the queue, as a sentence; `problem`: none can, and why; null: nothing prevents it
 */
export async function settleGroup(
  tx: Transaction,
  { id, project_id: projectId }: { id: string; project_id: string },
): Promise<{ wait: string } | { problem: string } | null> {
  const { rows } = await tx.query<Dependency>(
    'SELECT depends_on AS id, condition AS when FROM group_dependencies WHERE group_id = $1 ORDER BY depends_on',
    [id],
  )
  if (rows.length === 0) return null
  const known = await readPrerequisites(
    tx,
    rows.map((one) => one.id),
  )
  const found = rows.map((one) => ({ ...one, other: known.get(one.id) ?? null }))
  const failed = found.find((one) => stateOf(one) === 'failed')
  const open = failed === undefined ? found.filter((one) => stateOf(one) === 'open') : []
  await tx.query('DELETE FROM group_dependencies WHERE group_id = $1 AND depends_on <> ALL ($2::uuid[])', [
    id,
    open.map((one) => one.id),
  ])
  if (failed !== undefined) {
    const { detail } = describeFailed(failed, projectId)
    return { problem: `${detail} So the members of this group cannot start.` }
  }
  const sentence = describeWait(open, projectId)
  return sentence === null ? null : { wait: sentenceOf({ sentence }) }
}

/** Cancels the members that a group holds, because of how another job or group ended. Returns how many have entered the queue: none. */
export async function cancelHeld(tx: Transaction, id: string, problem: string): Promise<0> {
  await tx.query(`UPDATE group_members SET state = 'cancelled' WHERE group_id = $1 AND state = 'held'`, [id])
  await tx.query(
    `UPDATE job_groups SET held = 0, code = '', cancelled_at = coalesce(cancelled_at, now()), problem = $2 WHERE id = $1`,
    [id, problem],
  )
  return 0
}
