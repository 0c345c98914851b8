import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { type Lease, leaseHeld } from '../nodes/nodes'
import { type ClaimedTask, Fenced } from './tasks'

/** Output as records, and how many raw bytes of each stream they stand for in all. */
interface OutputBatch {
  start: number
  records: Buffer
  stdoutConsumed: number
  stderrConsumed: number
}

/**
 * Stores one batch of output and wakes its readers. A batch that was stored already, unheard, is stored once. One that
 * does not begin where the stored output ends was read by a worker that another one has overtaken: it is fenced off.
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
