import type { Lease } from '../cluster/nodes/nodes'
import { Fenced, taskHeld } from '../cluster/tasks/tasks'
import { database } from '../database/client'

/** Maximum bytes per claim. This much input is lost if the worker dies before the program has read it. */
const maxClaimBytes = 64 * 1024

/** Pending input and size of a task's terminal. */
interface TerminalInput {
  /** Size in characters; null: unknown. */
  size: { columns: number; rows: number } | null
  /** Typed input, in order. */
  input: Buffer
}

/**
 * Claims the typed input of a task and reads the requested size of its terminal. Claimed input is deleted, so no key
 * is ever typed twice; with `withInput` false it stays.
 * @throws {Fenced} if the task no longer belongs to this worker.
 */
export async function claimTerminalInput(
  lease: Lease,
  taskId: string,
  withInput: boolean,
): Promise<TerminalInput> {
  const { rows } = await database().pool.query<{
    columns: number | null
    rows: number | null
    bytes: Buffer | null
  }>({
    name: 'claim-terminal-input',
    text: `WITH task AS (
             SELECT id, tty_columns, tty_rows FROM tasks WHERE ${taskHeld}
           ), waiting AS (
             SELECT i.id, sum(octet_length(i.bytes)) OVER (ORDER BY i.id) - octet_length(i.bytes) AS before
               FROM terminal_inputs i JOIN task ON i.task_id = task.id WHERE $4
           ), taken AS (
             DELETE FROM terminal_inputs WHERE id IN (SELECT id FROM waiting WHERE before < ${maxClaimBytes}) RETURNING id, bytes
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
