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

/** Why the attempt that runs in a Slurm job must stop; null: nothing is known. */
export async function readStopReason(rowId: string, attempt: number): Promise<SlurmStopReason | null> {
  const row = await findRow<{ reason: SlurmStopReason | null }>(database().pool, {
    name: 'slurm-stop-reason',
    text: 'SELECT stop_reason AS reason FROM slurm_jobs WHERE id = $1 AND attempt = $2',
    values: [rowId, attempt],
  })
  return row?.reason ?? null
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
