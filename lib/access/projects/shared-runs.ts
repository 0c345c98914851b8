import type { Transaction } from '../../database/transaction'

/** Gives shared runs of a project to their owners alone. Jobs that exist keep their run. Other ids change nothing. */
export async function unshareRuns(
  tx: Transaction,
  projectId: string,
  runs: readonly string[] = [],
): Promise<void> {
  await tx.query(
    'DELETE FROM run_users s USING runs r WHERE r.id = s.run_id AND r.project_id = $1 AND r.id = ANY ($2::uuid[])',
    [projectId, runs],
  )
}
