import { conflict } from '../../contract/errors'
import { oneRow, type Transaction } from '../../database/transaction'
import type { SeenCompetition } from '../access'
import { lockCompetition } from './locks'

/**
 * Makes exactly the hosts of a competition managers of its project. Whatever adds or removes a host calls it in the same transaction.
 */
export async function setHosts(
  tx: Transaction,
  { id, projectId }: Pick<SeenCompetition, 'id' | 'projectId'>,
): Promise<void> {
  await tx.query(
    `INSERT INTO memberships (project_id, user_id, role, may_push)
     SELECT $2, user_id, 'manager', true FROM competition_members
      WHERE competition_id = $1 AND role = 'host' AND state = 'joined'
     ON CONFLICT (project_id, user_id) DO UPDATE SET role = 'manager', may_push = true`,
    [id, projectId],
  )
  await tx.query(
    `DELETE FROM memberships WHERE project_id = $2 AND user_id NOT IN (
       SELECT user_id FROM competition_members WHERE competition_id = $1 AND role = 'host' AND state = 'joined')`,
    [id, projectId],
  )
}

/**
 * Locks the competition, so that of two hosts who remove each other the second is refused.
 * @throws 409 if the user is the last host who can sign in.
 */
export async function requireAnotherHost(
  tx: Transaction,
  { id, slug }: Pick<SeenCompetition, 'id' | 'slug'>,
  { userId, handle }: { userId: string; handle: string },
): Promise<void> {
  await lockCompetition(tx, id)
  const { others } = await oneRow<{ others: number }>(
    tx,
    `SELECT count(*)::int AS others FROM competition_members m JOIN users u ON u.id = m.user_id
      WHERE m.competition_id = $1 AND m.role = 'host' AND m.state = 'joined' AND m.user_id <> $2 AND u.disabled_at IS NULL`,
    [id, userId],
  )
  if (others === 0)
    throw conflict(`"${handle}" is the last host of "${slug}". Make another member a host first.`)
}
