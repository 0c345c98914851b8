import { uuidv7 } from 'uuidv7'
import type { Restriction } from '../../contract/access/restriction'
import { findRow, oneRow, type Transaction } from '../../database/transaction'

interface RunOwner {
  userId: string
  projectId: string
  /** What the token of the submission may reach: the runs of an agent are its own. */
  restriction: Restriction | null
}

/**
 * Finds the run of a new job by its name, or makes it: the user's own, then one that another user shares with them, then
 * one of the whole project if its members share runs. A new run belongs to the user, or to the project if its members share
 * runs. The token of an agent finds and makes only runs of its own. Concurrent calls find the same run.
 */
export async function resolveRun(tx: Transaction, owner: RunOwner, name: string): Promise<string> {
  const { userId, projectId, restriction } = owner
  const tokenId = restriction?.agent?.tokenId ?? null
  // Locked, so that a change of the setting is effective once it is answered.
  const { shared } = await oneRow<{ shared: boolean }>(tx, {
    name: 'shares-runs',
    text: 'SELECT share_runs AS shared FROM projects WHERE id = $1 FOR SHARE',
    values: [projectId],
  })
  const found = await findRun(tx, owner, name)
  if (found !== null) return found.id
  const id = uuidv7()
  // The name of the directory is the id, because a name could be that of another user's directory.
  await tx.query({
    name: 'insert-run',
    text: 'INSERT INTO runs (id, project_id, user_id, token_id, name, directory) VALUES ($1::uuid, $2, $3, $4, $5, $1::text) ON CONFLICT DO NOTHING',
    values: [id, projectId, shared && tokenId === null ? null : userId, tokenId, name],
  })
  // A concurrent submission may have made it.
  const made = await findRun(tx, owner, name)
  if (made === null) throw new Error(`The run "${name}" was deleted while a job was submitted.`)
  return made.id
}

/** Finds the run that a new job of the user would get; null: a new one. */
export function findRun(
  tx: Transaction,
  { userId, projectId, restriction }: RunOwner,
  name: string,
): Promise<{ id: string } | null> {
  return findRow(tx, {
    name: 'find-run',
    text: `SELECT r.id FROM runs r JOIN projects p ON p.id = r.project_id
            WHERE r.project_id = $1 AND r.name = $3 AND r.token_id IS NOT DISTINCT FROM $4
              AND (r.user_id = $2 OR (r.user_id IS NULL AND p.share_runs)
                   OR EXISTS (SELECT 1 FROM run_users s WHERE s.run_id = r.id AND s.user_id = $2))
            ORDER BY r.user_id IS NOT DISTINCT FROM $2 DESC, r.user_id IS NULL, r.id LIMIT 1`,
    values: [projectId, userId, name, restriction?.agent?.tokenId ?? null],
  })
}
