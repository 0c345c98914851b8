import type { SlurmStopReason } from '../../contract/reasons'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { findRow } from '../../database/transaction'

/** The payload with which a worker asks the leader to read Slurm's state now. */
export const slurmChanged = 'slurm'

/** Asks the leader to read Slurm's state now. */
export async function notifySlurmChange(): Promise<void> {
  await database().pool.query('SELECT pg_notify($1, $2)', [channels.queue, slurmChanged])
}

interface StopReason {
  /** Null: nothing is known. */
  reason: SlurmStopReason | null
  /** The last state that the leader saw; null: none. */
  state: string | null
}

/** Why the attempt that runs in a Slurm job must stop, and the state of the Slurm job. */
export async function readStopReason(rowId: string, attempt: number): Promise<StopReason> {
  const row = await findRow<StopReason>(database().pool, {
    name: 'slurm-stop-reason',
    text: 'SELECT stop_reason AS reason, state FROM slurm_jobs WHERE id = $1 AND attempt = $2',
    values: [rowId, attempt],
  })
  return row ?? { reason: null, state: null }
}

/** Records why an attempt must stop, unless that is known, and notifies the nodes of its tasks, which stop them. */
export async function setStopReason(rowId: string, attempt: number, reason: SlurmStopReason): Promise<void> {
  await database().pool.query({
    name: 'set-slurm-stop-reason',
    text: `WITH stopped AS (
             UPDATE slurm_jobs SET stop_reason = $3 WHERE id = $1 AND attempt = $2 AND stop_reason IS NULL RETURNING job_id, attempt
           )
           SELECT pg_notify('${channels.node}', t.node_id::text) FROM tasks t JOIN stopped USING (job_id, attempt)
            WHERE t.status IN ('scheduled', 'starting', 'running')`,
    values: [rowId, attempt, reason],
  })
}
