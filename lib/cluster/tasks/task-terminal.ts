import { database } from '../../database/client'
import { type Lease, leaseHeld } from '../nodes/nodes'
import { Fenced } from './tasks'

/** Most that is taken at once, and so is lost to a worker that dies before the program has read it. */
const takenBytes = 64 * 1024

/** What people did at a task's terminal. */
interface TerminalWork {
  /** In characters; null: nobody said. */
  size: { columns: number; rows: number } | null
  /** What was typed, in order. */
  input: Buffer
}

/**
 * Takes what was typed for a task and, with it, says how large its terminal is to be. What is taken is gone, so that no
 * key is ever typed twice; `withInput` false leaves it where it is.
 * @throws {Fenced} when the task is no longer this worker's.
 */
export async function claimTerminalInput(
  lease: Lease,
  taskId: string,
  withInput: boolean,
): Promise<TerminalWork> {
  const { rows } = await database().pool.query<{
    columns: number | null
    rows: number | null
    bytes: Buffer | null
  }>({
    name: 'take-terminal-work',
    text: `WITH task AS (
             SELECT id, tty_columns, tty_rows FROM tasks
              WHERE id = $3 AND node_id = $1 AND status IN ('starting', 'running') AND ${leaseHeld}
           ), waiting AS (
             SELECT i.id, sum(octet_length(i.bytes)) OVER (ORDER BY i.id) - octet_length(i.bytes) AS before
               FROM terminal_inputs i JOIN task ON i.task_id = task.id WHERE $4
           ), taken AS (
             DELETE FROM terminal_inputs WHERE id IN (SELECT id FROM waiting WHERE before < ${takenBytes}) RETURNING id, bytes
           )
           SELECT task.tty_columns AS columns, task.tty_rows AS rows, taken.bytes
             FROM task LEFT JOIN taken ON true ORDER BY taken.id`,
    values: [lease.nodeId, lease.leaseId, taskId, withInput],
  })
  const [first] = rows
  if (!first) throw new Fenced(taskId)
  return {
    size: first.columns === null || first.rows === null ? null : { columns: first.columns, rows: first.rows },
    input: Buffer.concat(rows.flatMap(({ bytes }) => bytes ?? [])),
  }
}
