import { database } from '../../database/client'
import type { Run } from './checkpoint-files'

/**
 * Records how much a run has on the shared disk. A task that runs needs its files: it ends a request for their
 * deletion.
 */
export async function recordRunDirectory(
  { projectId, name }: Run,
  bytes: number,
  { running }: { running: boolean },
): Promise<void> {
  await database().pool.query(
    `INSERT INTO run_directories (project_id, run_name, bytes) SELECT id, $2, $3 FROM projects WHERE id = $1
     ON CONFLICT (project_id, run_name) DO UPDATE SET bytes = $3, measured_at = now(),
       delete_requested_at = CASE WHEN $4 THEN NULL ELSE run_directories.delete_requested_at END`,
    [projectId, name, bytes, running],
  )
}

/** Forgets the runs of a project whose directories are gone. */
export async function keepRunDirectories(projectId: string, names: readonly string[]): Promise<void> {
  await database().pool.query(
    'DELETE FROM run_directories WHERE project_id = $1 AND NOT (run_name = ANY ($2::text[]))',
    [projectId, names],
  )
}

/** True if a user waits for the deletion of checkpoints on the shared disk. */
export async function hasDeletionRequests(): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    'SELECT 1 FROM run_directories WHERE delete_requested_at IS NOT NULL LIMIT 1',
  )
  return rowCount === 1
}
