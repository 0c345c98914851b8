import type { Run } from '../cluster/tasks/tasks'
import { database } from '../database/client'

/**
 * Records how much a run has on the shared disk. A task that runs needs its files: it ends a request for their
 * deletion.
 */
export async function recordRunDirectory(
  { projectId, directory }: Pick<Run, 'projectId' | 'directory'>,
  bytes: number,
  { running }: { running: boolean },
): Promise<void> {
  await database().pool.query(
    `INSERT INTO run_directories (run_id, bytes) SELECT id, $3 FROM runs WHERE project_id = $1 AND directory = $2
     ON CONFLICT (run_id) DO UPDATE SET bytes = $3, measured_at = now(),
       delete_requested_at = CASE WHEN $4 THEN NULL ELSE run_directories.delete_requested_at END`,
    [projectId, directory, bytes, running],
  )
}

/** Forgets the runs of a project whose directories are gone. */
export async function keepRunDirectories(projectId: string, directories: readonly string[]): Promise<void> {
  await database().pool.query(
    `DELETE FROM run_directories d USING runs r
      WHERE r.id = d.run_id AND r.project_id = $1 AND NOT (r.directory = ANY ($2::text[]))`,
    [projectId, directories],
  )
}

/** True if a user waits for the deletion of checkpoints on the shared disk. */
export async function hasDeletionRequests(): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    'SELECT 1 FROM run_directories WHERE delete_requested_at IS NOT NULL LIMIT 1',
  )
  return rowCount === 1
}
