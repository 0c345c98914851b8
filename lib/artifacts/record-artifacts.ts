import type { Lease } from '../cluster/nodes/nodes'
import { type ClaimedTask, taskHeld, writeTask } from '../cluster/tasks/tasks'
import { database } from '../database/client'

/** A file that a task wrote to /results, and its stored location. */
interface TaskArtifact {
  id: string
  /** Relative to /results, with slashes. */
  path: string
  bytes: number
  /** What it takes in the store; left out if that is all of `bytes`. */
  storedBytes?: number
  sha256: string
}

/** Records a stored file of the task. Idempotent. */
export async function recordArtifact(
  lease: Lease,
  task: Pick<ClaimedTask, 'id'>,
  { id, path, bytes, storedBytes, sha256 }: TaskArtifact,
): Promise<void> {
  await writeTask(database().pool, lease, task.id, {
    name: 'record-artifact',
    text: `INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256, stored_bytes)
           SELECT $4, job_id, attempt, rank, $5, $6, $7, $8 FROM tasks WHERE ${taskHeld}
           ON CONFLICT (id) DO UPDATE SET path = excluded.path`,
    values: [id, path, bytes, sha256, storedBytes ?? null],
  })
}

export async function recordedPaths({
  jobId,
  attempt,
  rank,
}: Pick<ClaimedTask, 'jobId' | 'attempt' | 'rank'>): Promise<Set<string>> {
  const { rows } = await database().pool.query<{ path: string }>(
    'SELECT path FROM artifacts WHERE job_id = $1 AND attempt = $2 AND rank = $3',
    [jobId, attempt, rank],
  )
  return new Set(rows.map(({ path }) => path))
}
