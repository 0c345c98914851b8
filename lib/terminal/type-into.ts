import { type Actor, isAdmin, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict, rateLimited } from '../contract/errors'
import { channels } from '../database/listen'
import { acquireLockOf } from '../database/locks'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { findChangeableJob } from '../jobs/read/job-visibility'
import type { TerminalSize } from './contract'

/** Maximum bytes of one request. */
export const maxInputBytes = 64 * 1024
/** Maximum input that waits for one program to read it. */
const maxWaitingBytes = 1024 * 1024
const maxWaitingPieces = 4096

/**
 * Types at the terminal of a running job. The program receives all input once, in the order of its acceptance.
 * @param read reads the input; called only after it is clear that the actor may see the job.
 * @throws 404 or 403 as `findChangeableJob` does, 409 if it does not run or has no terminal, 429 while too much input waits.
 */
export async function typeInto(
  actor: Actor,
  jobId: string,
  rank: number,
  read: () => Promise<Buffer>,
): Promise<void> {
  await atTerminal(actor, jobId, rank, read, async (tx, taskId, bytes) => {
    // Serializes the input of a terminal: row numbers then have the order of the commits, and the limit is exact.
    await acquireLockOf(tx, 'terminalInput', taskId)
    const { rowCount } = await tx.query({
      name: 'type-input',
      text: `INSERT INTO terminal_inputs (task_id, bytes)
             SELECT $1, $2 FROM (SELECT count(*) AS pieces, coalesce(sum(octet_length(bytes)), 0) AS waiting
                                   FROM terminal_inputs WHERE task_id = $1) w
              WHERE pieces < $3 AND waiting + octet_length($2::bytea) <= $4`,
      values: [taskId, bytes, maxWaitingPieces, maxWaitingBytes],
    })
    if (rowCount === 1) return
    const message = 'The program has not read the earlier input yet. Wait until it does.'
    throw rateLimited(message, 1)
  })
}

/**
 * Sets the size of a running job's terminal. The program is notified.
 * @param read reads the size; called only after it is clear that the actor may see the job.
 */
export async function resizeTerminal(
  actor: Actor,
  jobId: string,
  rank: number,
  read: () => Promise<TerminalSize>,
): Promise<void> {
  await atTerminal(actor, jobId, rank, read, async (tx, taskId, { columns, rows }) => {
    await tx.query('UPDATE tasks SET tty_columns = $2, tty_rows = $3 WHERE id = $1', [taskId, columns, rows])
  })
}

async function atTerminal<Input>(
  actor: Actor,
  jobId: string,
  rank: number,
  read: () => Promise<Input>,
  act: (tx: Transaction, taskId: string, input: Input) => Promise<void>,
): Promise<void> {
  requireScope(actor, 'submit')
  const job = await findChangeableJob(actor, jobId)
  const input = await read()
  await transaction(async (tx) => {
    const found = await findRow<{ tty: boolean; taskId: string | null }>(tx, {
      name: 'find-terminal',
      text: `SELECT coalesce(j.spec->'tty' = 'true', false) AS tty, t.id AS "taskId"
               FROM jobs j LEFT JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = $2 AND t.status = 'running'
              WHERE j.id = $1`,
      values: [job.id, rank],
    })
    if (!found?.tty) {
      throw conflict('The job has no terminal. Submit it with "tty: true" to get one.')
    }
    if (found.taskId === null) {
      throw conflict(`The job is not running${rank === 0 ? '' : ` as rank ${rank}`}.`)
    }
    if (job.userId !== actor.userId && isAdmin(actor))
      await recordAdminAccess(tx, actor, found.taskId, job.id)
    await act(tx, found.taskId, input)
    await tx.query('SELECT pg_notify($1, $2)', [channels.terminal, found.taskId])
  })
}

/** Records that an admin used another user's terminal. Writes one event for each task and not for each key. */
async function recordAdminAccess(
  tx: Transaction,
  actor: Actor,
  taskId: string,
  jobId: string,
): Promise<void> {
  // Two requests at the same time would both find no event.
  await acquireLockOf(tx, 'terminalInput', taskId)
  const { rowCount } = await tx.query(
    `SELECT 1 FROM audit_events
      WHERE action = 'terminal_used' AND target = $3 AND actor_id = $1 AND detail->>'task' = $2 LIMIT 1`,
    [actor.userId, taskId, jobId],
  )
  if (rowCount === 0) {
    const detail = { task: taskId }
    await recordAudit(tx, { actorId: actor.userId, action: 'terminal_used', target: jobId, detail })
  }
}
