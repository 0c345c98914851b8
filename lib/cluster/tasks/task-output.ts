import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { type Lease, leaseHeld } from '../nodes/nodes'
import { type ClaimedTask, Fenced } from './tasks'

/** Output records, and the total number of raw bytes of each stream that they represent. */
interface OutputBatch {
  start: number
  records: Buffer
  stdoutConsumed: number
  stderrConsumed: number
}

/**
 * Stores a batch of output and notifies its readers. Idempotent: a batch whose acknowledgement was lost is stored
 * once. A batch that does not start at the end of the stored output comes from a fenced-off worker and throws.
 */
export async function appendOutput(lease: Lease, task: ClaimedTask, batch: OutputBatch): Promise<void> {
  if (await insertOutput(lease, task, batch)) return
  if (!(await isStored(task, batch))) throw new Fenced(task.id)
}

async function insertOutput(lease: Lease, task: ClaimedTask, batch: OutputBatch): Promise<boolean> {
  const { rowCount } = await database().pool.query({
    name: 'append-output',
    text: `WITH task AS (
             UPDATE tasks SET stdout_consumed = $6, stderr_consumed = $7, output_bytes = $4::int8 + octet_length($5::bytea)
              WHERE id = $3 AND node_id = $1 AND output_bytes = $4 AND status IN ('starting', 'running') AND ${leaseHeld}
             RETURNING id, job_id
           ), chunk AS (
             INSERT INTO log_chunks (task_id, start, records) SELECT id, $4, $5 FROM task
           )
           SELECT pg_notify('${channels.output}', job_id::text) FROM task`,
    values: [
      lease.nodeId,
      lease.leaseId,
      task.id,
      batch.start,
      batch.records,
      batch.stdoutConsumed,
      batch.stderrConsumed,
    ],
  })
  return rowCount === 1
}

async function isStored(task: ClaimedTask, batch: OutputBatch): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    'SELECT 1 FROM tasks WHERE id = $1 AND output_bytes = $2 AND stdout_consumed = $3 AND stderr_consumed = $4',
    [task.id, batch.start + batch.records.length, batch.stdoutConsumed, batch.stderrConsumed],
  )
  return rowCount === 1
}
