import { database } from '../../database/client'
import { acquireLockOf } from '../../database/locks'
import { type Transaction, transaction } from '../../database/transaction'
import { type Lease, leaseHeld } from '../nodes/nodes'
import { type ClaimedTask, Fenced } from '../tasks/tasks'

/** A named run of a project: what its attempts, and later jobs of that name, keep is one. */
export interface Run {
  projectId: string
  name: string
}

/** A file as the store has it. */
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
  /** Which task stored it: the one that asks, another one of its attempt, or one of before. */
  by: 'this' | 'peer' | 'earlier'
  storedAt: Date
}

/** What one look at a task's directory changes in the record, all at once. */
interface Batch {
  stored: StoredFile[]
  /** Files that are gone from the directory, each with the object that the task knows of it. */
  gone: { path: string; object: string }[]
}

/** The key of a file's content in the store. */
export function checkpointKey({ projectId, name }: Run, object: string): string {
  return `checkpoints/${projectId}/${name}/${object}`
}

type OfTask = Pick<ClaimedTask, 'id' | 'jobId' | 'attempt'>

/** What the record has of a run, as one of its tasks sees it. */
export async function readCheckpoints(task: OfTask, run: Run): Promise<CheckpointFile[]> {
  const { rows } = await database().pool.query<Omit<CheckpointFile, 'mtimeNs'> & { mtimeNs: string }>(
    `SELECT c.path, c.object, c.bytes, c.sha256, c.mtime_ns::text AS "mtimeNs", c.executable, c.stored_at AS "storedAt",
            CASE WHEN c.task_id = $3 THEN 'this'
                 WHEN EXISTS (SELECT 1 FROM tasks t WHERE t.id = c.task_id AND t.job_id = $4 AND t.attempt = $5) THEN 'peer'
                 ELSE 'earlier' END AS by
       FROM checkpoint_files c WHERE c.project_id = $1 AND c.run_name = $2`,
    [run.projectId, run.name, task.id, task.jobId, task.attempt],
  )
  return rows.map((row) => ({ ...row, mtimeNs: BigInt(row.mtimeNs) }))
}

/**
 * Puts a round into the record, whole. Doing it again does it once. What another task has stored at a path that is gone
 * here stays.
 * @returns the objects that nothing names any more, and the bytes that the run has now.
 * @throws {Fenced}
 */
export async function recordBatch(
  lease: Lease,
  task: OfTask,
  run: Run,
  round: Batch,
): Promise<{ unnamed: string[]; bytes: number }> {
  return transaction(async (tx) => {
    await holdRun(tx, run)
    // Held to the end: who declares the task lost, and starts the next attempt, comes after what is written here.
    const { rowCount } = await tx.query(
      `SELECT 1 FROM tasks WHERE id = $3 AND node_id = $1 AND status IN ('starting', 'running') AND ${leaseHeld} FOR UPDATE`,
      [lease.nodeId, lease.leaseId, task.id],
    )
    if (rowCount !== 1) throw new Fenced(task.id)
    const named = new Set(round.stored.map(({ object }) => object))
    const unnamed = (await dropRows(tx, run, round)).filter((object) => !named.has(object))
    await insertRows(tx, task.id, run, round.stored)
    const { rows } = await tx.query<{ bytes: number }>(
      'SELECT coalesce(sum(bytes), 0)::int8 AS bytes FROM checkpoint_files WHERE project_id = $1 AND run_name = $2',
      [run.projectId, run.name],
    )
    return { unnamed, bytes: rows[0]?.bytes ?? 0 }
  })
}

/** Tasks of one attempt take turns: each would else wait for rows of the other. */
export async function holdRun(tx: Transaction, { projectId, name }: Run): Promise<void> {
  await acquireLockOf(tx, 'checkpoints', `${projectId}/${name}`)
}

async function dropRows(tx: Transaction, run: Run, { stored, gone }: Batch): Promise<string[]> {
  const { rows } = await tx.query<{ object: string }>(
    `DELETE FROM checkpoint_files c
      WHERE c.project_id = $1 AND c.run_name = $2
        AND (c.path = ANY ($3::text[])
             OR (c.path, c.object) IN (SELECT * FROM unnest($4::text[], $5::uuid[])))
     RETURNING c.object`,
    [
      run.projectId,
      run.name,
      stored.map(({ path }) => path),
      gone.map(({ path }) => path),
      gone.map(({ object }) => object),
    ],
  )
  return rows.map(({ object }) => object)
}

async function insertRows(tx: Transaction, taskId: string, run: Run, stored: StoredFile[]): Promise<void> {
  await tx.query(
    `INSERT INTO checkpoint_files (project_id, run_name, task_id, path, object, bytes, sha256, mtime_ns, executable)
     SELECT $1, $2, $3, * FROM unnest($4::text[], $5::uuid[], $6::int8[], $7::text[], $8::int8[], $9::bool[])`,
    [
      run.projectId,
      run.name,
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
