import { database } from '../../database/client'
import { type Lease, leaseHeld } from '../nodes/nodes'
import { type ClaimedTask, Fenced } from './tasks'

/** A file that a task wrote to /results, and its stored location. */
interface TaskArtifact {
  id: string
  /** Relative to /results, with slashes. */
  path: string
  bytes: number
  sha256: string
}

type ArtifactTask = Pick<ClaimedTask, 'id' | 'jobId' | 'attempt' | 'rank'>

/** Records a stored file of the task. Idempotent. */
export async function recordArtifact(
  lease: Lease,
  task: ArtifactTask,
  artifact: TaskArtifact,
): Promise<void> {
  const { rowCount } = await database().pool.query({
    name: 'record-artifact',
    text: `INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256)
           SELECT $4, job_id, attempt, rank, $5, $6, $7 FROM tasks
            WHERE id = $3 AND node_id = $1 AND status IN ('starting', 'running') AND ${leaseHeld}
           ON CONFLICT (id) DO UPDATE SET path = excluded.path`,
    values: [
      lease.nodeId,
      lease.leaseId,
      task.id,
      artifact.id,
      artifact.path,
      artifact.bytes,
      artifact.sha256,
    ],
  })
  if (rowCount !== 1) throw new Fenced(task.id)
}

/** Returns the paths of the task's files that are already recorded. */
export async function recordedPaths({ jobId, attempt, rank }: ArtifactTask): Promise<Set<string>> {
  const { rows } = await database().pool.query<{ path: string }>(
    'SELECT path FROM artifacts WHERE job_id = $1 AND attempt = $2 AND rank = $3',
    [jobId, attempt, rank],
  )
  return new Set(rows.map(({ path }) => path))
}
