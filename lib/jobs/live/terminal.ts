import { type Actor, isAdmin, requireScope } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { GpuqError } from '../../contract/errors'
import type { TerminalSize } from '../../contract/jobs'
import { channels } from '../../database/listen'
import { acquireLockOf } from '../../database/locks'
import { type Transaction, transaction } from '../../database/transaction'
import { findVisibleJob } from '../read/job-visibility'

/** Largest piece that is taken at once. */
export const maxInputBytes = 64 * 1024
/** Most that waits for one program to read it, and in how many pieces. */
const maxWaitingBytes = 1024 * 1024
const maxWaitingPieces = 4096

/**
 * Types at the terminal of a running job. Pieces reach the program in the order in which they were accepted, each once.
 * @param read gives what was typed; asked only once it is clear that the job may be seen.
 * @throws 404 for another's job, 409 when it does not run or has no terminal, 429 while too much waits to be read.
 */
export async function typeInto(
  actor: Actor,
  jobId: string,
  rank: number,
  read: () => Promise<Buffer>,
): Promise<void> {
  await atTerminal(actor, jobId, rank, read, async (tx, taskId, bytes) => {
    // One at a time for each terminal: numbers are given in the order of the commits, and the limit is exact.
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
    const message = 'The program has not read what was typed before. Wait until it does.'
    throw new GpuqError('rate_limited', message, { headers: { 'retry-after': '1' } })
  })
}

/**
 * Says how large the terminal of a running job is to be; the program is told.
 * @param read gives the size; asked only once it is clear that the job may be seen.
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
  const job = await findVisibleJob(actor, jobId)
  const input = await read()
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ tty: boolean; taskId: string | null }>({
      name: 'find-terminal',
      text: `SELECT coalesce(j.spec->'tty' = 'true', false) AS tty, t.id AS "taskId"
               FROM jobs j LEFT JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = $2 AND t.status = 'running'
              WHERE j.id = $1`,
      values: [job.id, rank],
    })
    const [found] = rows
    if (!found?.tty) {
      const advice = 'It would have to be submitted with "tty: true".'
      throw new GpuqError('conflict', `The job has no terminal. ${advice}`)
    }
    if (found.taskId === null) {
      throw new GpuqError('conflict', `The job is not running${rank === 0 ? '' : ` as rank ${rank}`}.`)
    }
    if (job.userId !== actor.userId && isAdmin(actor)) await noteStranger(tx, actor, found.taskId, job.id)
    await act(tx, found.taskId, input)
    await tx.query('SELECT pg_notify($1, $2)', [channels.terminal, found.taskId])
  })
}

/** That an admin was at somebody's terminal is written down once for each task, not for each key. */
async function noteStranger(tx: Transaction, actor: Actor, taskId: string, jobId: string): Promise<void> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM audit_events
      WHERE action = 'terminal_used' AND target = $3 AND actor_id = $1 AND detail->>'task' = $2 LIMIT 1`,
    [actor.userId, taskId, jobId],
  )
  if (rowCount === 0) {
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'terminal_used',
      target: jobId,
      detail: { task: taskId },
    })
  }
}
