import type { StorageOwner } from '../../access/storage/uploads-in-progress'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { oneRow } from '../../database/transaction'
import { sampleGap } from '../../jobs/lifecycle/stop-idle'
import type { StoredMetrics } from '../../results/metrics'
import type { Lease } from '../nodes/nodes'
import { type ClaimedTask, Fenced, taskHeld, writeTask } from './tasks'

/** The start-up state of the tasks of an attempt, which start together. */
export interface Readiness {
  /** Tasks whose containers do not exist yet, by rank. */
  missing: { rank: number; nodeName: string }[]
  /** Seconds since the first task was ready. */
  waitedSeconds: number
}

/** Records that the task's container exists and waits for its peers, and notifies their nodes. Idempotent. */
export async function markReady(lease: Lease, task: ClaimedTask): Promise<void> {
  await writeTask(database().pool, lease, task.id, {
    name: 'mark-ready',
    text: `WITH task AS (
             UPDATE tasks SET ready_at = coalesce(ready_at, now()) WHERE ${taskHeld} RETURNING job_id, attempt
           )
           SELECT pg_notify('${channels.node}', p.node_id::text) FROM tasks p JOIN task USING (job_id, attempt)`,
    values: [],
  })
}

/** Reads which of the task's peers are not ready yet. */
export async function readReadiness({ jobId, attempt }: ClaimedTask): Promise<Readiness> {
  const { rows } = await database().pool.query<Readiness>({
    name: 'read-readiness',
    text: `SELECT coalesce(extract(epoch FROM now() - min(t.ready_at)), 0)::float8 AS "waitedSeconds",
                  coalesce(jsonb_agg(jsonb_build_object('rank', t.rank, 'nodeName', n.name) ORDER BY t.rank)
                    FILTER (WHERE t.ready_at IS NULL), '[]') AS missing
             FROM tasks t JOIN nodes n ON n.id = t.node_id WHERE t.job_id = $1 AND t.attempt = $2`,
    values: [jobId, attempt],
  })
  return rows[0] ?? { missing: [], waitedSeconds: 0 }
}

/** Output records, and the total number of raw bytes of each stream that they represent. */
interface OutputBatch {
  start: number
  records: Buffer
  stdoutConsumed: number
  stderrConsumed: number
  /** The last number of each metric so far; null or absent: unchanged. */
  metrics?: StoredMetrics | null
}

/** Maximum content of one row. Only a record that is larger continues in the next row. */
const maxChunkBytes = 1 << 20
/** A batch of the size of the largest record takes longer than other queries. */
const largeBatchTimeoutMs = 120_000

/**
 * Stores a batch of output and notifies its readers. Idempotent: a batch whose acknowledgement was lost is stored
 * once. A batch that does not start at the end of the stored output comes from a fenced-off worker and throws.
 * A batch contains complete records; all of its rows are stored or none.
 */
export async function appendOutput(
  lease: Lease,
  task: ClaimedTask,
  { start, records, stdoutConsumed, stderrConsumed, metrics = null }: OutputBatch,
): Promise<void> {
  const { pool } = database()
  const inserted = await pool.query({
    name: 'append-output',
    text: `WITH task AS (
             UPDATE tasks SET stdout_consumed = $6, stderr_consumed = $7, output_bytes = $4::int8 + octet_length($5::bytea),
                              metrics = coalesce($8::jsonb, metrics)
              WHERE ${taskHeld} AND output_bytes = $4 RETURNING id, job_id
           ), chunk AS (
             INSERT INTO log_chunks (task_id, start, records)
             SELECT id, $4::int8 + at, substring($5::bytea FROM at + 1 FOR ${maxChunkBytes})
               FROM task, generate_series(0, octet_length($5::bytea) - 1, ${maxChunkBytes}) AS at
           )
           SELECT pg_notify('${channels.output}', job_id::text) FROM task`,
    values: [lease.nodeId, lease.leaseId, task.id, start, records, stdoutConsumed, stderrConsumed, metrics],
    ...(records.length > maxChunkBytes ? { query_timeout: largeBatchTimeoutMs } : {}),
  })
  if (inserted.rowCount === 1) return
  const stored = await pool.query(
    'SELECT 1 FROM tasks WHERE id = $1 AND output_bytes = $2 AND stdout_consumed = $3 AND stderr_consumed = $4',
    [task.id, start + records.length, stdoutConsumed, stderrConsumed],
  )
  if (stored.rowCount !== 1) throw new Fenced(task.id)
}

/** To whom the files of a task count. */
export async function findStorageOwner({ jobId }: Pick<ClaimedTask, 'jobId'>): Promise<StorageOwner> {
  return oneRow<StorageOwner>(
    database().pool,
    'SELECT user_id AS "userId", project_id AS "projectId" FROM jobs WHERE id = $1',
    [jobId],
  )
}

/** A load of all GPUs of at most this is idle: nvidia-smi shows a percent for a GPU that only drives a display. */
const idleLoad = 0.01

/**
 * Adds a sample to the GPU usage summary of a task, unless the task is paused. Samples without a load do not count towards the
 * mean.
 * @param use `load`: mean of the GPUs, 0 to 1; `busiest`: that of the busiest GPU; null: not known.
 */
export async function recordTaskGpuUsage(
  lease: Lease,
  taskId: string,
  use: { load: number | null; busiest: number | null; memoryMib: number | null },
): Promise<void> {
  await database().pool.query({
    name: 'record-task-gpu-usage',
    text: `UPDATE tasks SET
             gpu_samples = gpu_samples + CASE WHEN $4::float8 IS NULL THEN 0 ELSE 1 END,
             gpu_load_mean = CASE WHEN $4::float8 IS NULL THEN gpu_load_mean
                                  ELSE (coalesce(gpu_load_mean, 0) * gpu_samples + $4::float8) / (gpu_samples + 1) END,
             gpu_memory_peak_mib = greatest(gpu_memory_peak_mib, $5::int),
             gpu_idle_since = CASE WHEN $6::float8 <= ${idleLoad} THEN
               CASE WHEN gpu_sampled_at > now() - ${sampleGap} THEN coalesce(gpu_idle_since, now()) ELSE now() END END,
             gpu_sampled_at = CASE WHEN $6::float8 IS NULL THEN gpu_sampled_at ELSE now() END
            WHERE ${taskHeld} AND status = 'running' AND paused_at IS NULL`,
    values: [lease.nodeId, lease.leaseId, taskId, use.load, use.memoryMib, use.busiest],
  })
}
