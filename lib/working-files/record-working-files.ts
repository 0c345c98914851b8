import type { Lease } from '../cluster/nodes/nodes'
import { type ClaimedTask, lockHeldTask } from '../cluster/tasks/tasks'
import { database } from '../database/client'
import { acquireLockOf } from '../database/locks'
import { transaction } from '../database/transaction'

/** A stored version of a file that a task wrote in its working directory. */
export interface StoredWorkingFile {
  /** Names its content in the store. */
  id: string
  /** Relative to the working directory, with slashes. */
  path: string
  bytes: number
  /** What it takes in the store; left out if that is all of `bytes`. */
  storedBytes?: number
  sha256: string
  executable: boolean
}

type OfTask = Pick<ClaimedTask, 'id' | 'jobId' | 'attempt' | 'rank'>

/** A recorded file, with the attempt that stored it. */
export interface RecordedWorkingFile extends Omit<StoredWorkingFile, 'storedBytes'> {
  attempt: number
}

/** The recorded files of a task and of the same rank of earlier attempts. */
export async function readWorkingFiles({
  jobId,
  rank,
}: Pick<OfTask, 'jobId' | 'rank'>): Promise<RecordedWorkingFile[]> {
  const { rows } = await database().pool.query<RecordedWorkingFile>(
    'SELECT id, attempt, path, bytes, sha256, executable FROM working_files WHERE job_id = $1 AND rank = $2',
    [jobId, rank],
  )
  return rows
}

/**
 * Records new versions of a task's files, and forgets files that it has deleted. Idempotent.
 * @returns the replaced and forgotten versions, whose content nothing refers to any more.
 * @throws {Fenced} if the task no longer belongs to this worker.
 */
export async function recordWorkingFiles(
  lease: Lease,
  task: OfTask,
  { stored, deleted }: { stored: readonly StoredWorkingFile[]; deleted: readonly string[] },
): Promise<{ id: string; attempt: number }[]> {
  return transaction(async (tx) => {
    // Held until the transaction ends, so versions become visible in their order.
    await acquireLockOf(tx, 'workingFiles', task.jobId)
    await lockHeldTask(tx, lease, task.id)
    const { rows } = await tx.query<{ id: string; attempt: number }>(
      `DELETE FROM working_files WHERE job_id = $1 AND rank = $2 AND path = ANY ($3::text[]) RETURNING id, attempt`,
      [task.jobId, task.rank, [...stored.map(({ path }) => path), ...deleted]],
    )
    await tx.query(
      `INSERT INTO working_files (job_id, attempt, rank, id, path, bytes, stored_bytes, sha256, executable)
       SELECT $1, $2, $3, * FROM unnest($4::uuid[], $5::text[], $6::int8[], $7::int8[], $8::text[], $9::bool[])`,
      [
        task.jobId,
        task.attempt,
        task.rank,
        stored.map(({ id }) => id),
        stored.map(({ path }) => path),
        stored.map(({ bytes }) => bytes),
        stored.map(({ storedBytes }) => storedBytes ?? null),
        stored.map(({ sha256 }) => sha256),
        stored.map(({ executable }) => executable),
      ],
    )
    const kept = new Set(stored.map(({ id }) => id))
    return rows.filter(({ id }) => !kept.has(id))
  })
}
