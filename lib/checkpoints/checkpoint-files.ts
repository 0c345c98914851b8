import type { Lease } from '../cluster/nodes/nodes'
import type { Run } from '../cluster/tasks/tasks'
import { type ClaimedTask, lockHeldTask } from '../cluster/tasks/tasks'
import { database } from '../database/client'
import { acquireLockOf } from '../database/locks'
import { type Transaction, transaction } from '../database/transaction'

/** A file in the object store. */
export interface StoredFile {
  /** Relative to the run's directory, with slashes. */
  path: string
  object: string
  bytes: number
  sha256: string
  mtimeNs: bigint
  executable: boolean
}

export interface CheckpointFile extends StoredFile {
  /** The task that stored it: the asking task, another task of the same attempt, or an earlier attempt. */
  by: 'this' | 'peer' | 'earlier'
  storedAt: Date
}

/** The changes that one scan of a task's directory makes to the record, in one transaction. */
interface Batch {
  stored: StoredFile[]
  /** Files deleted from the directory, each with the object key the task knows. */
  gone: { path: string; object: string }[]
}

/** The key of a file's content in the object store. */
export function checkpointKey(
  { projectId, directory }: Pick<Run, 'projectId' | 'directory'>,
  object: string,
): string {
  return `checkpoints/${projectId}/${directory}/${object}`
}

type OfTask = Pick<ClaimedTask, 'id' | 'jobId' | 'attempt'>

/** Reads the recorded checkpoint files of a run, as seen by one of its tasks. */
export async function readCheckpoints(task: OfTask, run: Run): Promise<CheckpointFile[]> {
  const { rows } = await database().pool.query<Omit<CheckpointFile, 'mtimeNs'> & { mtimeNs: string }>(
    `SELECT c.path, c.object, c.bytes, c.sha256, c.mtime_ns::text AS "mtimeNs", c.executable, c.stored_at AS "storedAt",
            CASE WHEN c.task_id = $2 THEN 'this'
                 WHEN EXISTS (SELECT 1 FROM tasks t WHERE t.id = c.task_id AND t.job_id = $3 AND t.attempt = $4) THEN 'peer'
                 ELSE 'earlier' END AS by
       FROM checkpoint_files c WHERE c.run_id = $1`,
    [run.id, task.id, task.jobId, task.attempt],
  )
  return rows.map((row) => ({ ...row, mtimeNs: BigInt(row.mtimeNs) }))
}

/**
 * Records a batch in one transaction. Idempotent. Keeps a file that another task has stored at a deleted path.
 * @returns the objects that nothing refers to any more, and the total bytes of the run.
 * @throws {Fenced} if the task no longer belongs to this worker.
 */
export async function recordBatch(
  lease: Lease,
  task: OfTask,
  run: Run,
  batch: Batch,
): Promise<{ unreferenced: string[]; bytes: number }> {
  return transaction(async (tx) => {
    await lockRun(tx, run)
    await lockHeldTask(tx, lease, task.id)
    const named = new Set(batch.stored.map(({ object }) => object))
    const unreferenced = (await dropRows(tx, run, batch)).filter((object) => !named.has(object))
    await insertRows(tx, task.id, run, batch.stored)
    const { rows } = await tx.query<{ bytes: number }>(
      'SELECT coalesce(sum(bytes), 0)::int8 AS bytes FROM checkpoint_files WHERE run_id = $1',
      [run.id],
    )
    return { unreferenced, bytes: rows[0]?.bytes ?? 0 }
  })
}

/** Serializes the tasks of one attempt, which would otherwise deadlock on each other's rows. */
export async function lockRun(tx: Transaction, { id }: Pick<Run, 'id'>): Promise<void> {
  await acquireLockOf(tx, 'checkpoints', id)
}

async function dropRows(tx: Transaction, run: Run, { stored, gone }: Batch): Promise<string[]> {
  const { rows } = await tx.query<{ object: string }>(
    `DELETE FROM checkpoint_files c
      WHERE c.run_id = $1
        AND (c.path = ANY ($2::text[])
             OR (c.path, c.object) IN (SELECT * FROM unnest($3::text[], $4::uuid[])))
     RETURNING c.object`,
    [run.id, stored.map(({ path }) => path), gone.map(({ path }) => path), gone.map(({ object }) => object)],
  )
  return rows.map(({ object }) => object)
}

async function insertRows(tx: Transaction, taskId: string, run: Run, stored: StoredFile[]): Promise<void> {
  await tx.query(
    `INSERT INTO checkpoint_files (run_id, task_id, path, object, bytes, sha256, mtime_ns, executable)
     SELECT $1, $2, * FROM unnest($3::text[], $4::uuid[], $5::int8[], $6::text[], $7::int8[], $8::bool[])`,
    [
      run.id,
      taskId,
      stored.map(({ path }) => path),
      stored.map(({ object }) => object),
      stored.map(({ bytes }) => bytes),
      stored.map(({ sha256 }) => sha256),
      stored.map(({ mtimeNs }) => String(mtimeNs)),
      stored.map(({ executable }) => executable),
    ],
  )
}
