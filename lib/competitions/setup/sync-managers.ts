import type { Transaction } from '../../database/transaction'

/**
 * Makes the hosts of a competition the managers, and the only members, of its project: they see its jobs and its data. Whatever
 * changes hosts calls it in the same transaction.
 * @returns whether anything changed
 */
export async function syncManagers(
  tx: Transaction,
  { id, projectId }: { id: string; projectId: string },
): Promise<boolean> {
  const isHost = `SELECT m.user_id FROM competition_members m WHERE m.competition_id = $1 AND m.role = 'host' AND m.state = 'joined'`
  const removed = await tx.query(
    `DELETE FROM memberships WHERE project_id = $2 AND user_id NOT IN (${isHost})`,
    [id, projectId],
  )
  const added = await tx.query(
    `INSERT INTO memberships AS s (project_id, user_id, role) SELECT $2::uuid, hosts.user_id, 'manager' FROM (${isHost}) hosts
     ON CONFLICT (project_id, user_id) DO UPDATE SET role = 'manager' WHERE s.role <> 'manager'`,
    [id, projectId],
  )
  return (removed.rowCount ?? 0) + (added.rowCount ?? 0) > 0
}
