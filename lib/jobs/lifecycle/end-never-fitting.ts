import { toEndDetail } from '../../contract/reasons'
import { database } from '../../database/client'
import { findRow, transaction } from '../../database/transaction'
import { env } from '../../env'
import { lostNode } from '../config/registered-nodes'
import { finishWaiting } from '../state/finish'

/** SQL for the waiting jobs `j` that no node has fitted for $1 days. Only those from which an admin took a node away. */
const stranded = `
  j.status = 'pending' AND j.reason = 'never_fits' AND j.never_fits_since <= now() - make_interval(days => $1)
  AND ${lostNode('j')}`

/**
 * SQL for the time at which the waiting job `j` ends as one that no node fits; null: it does not. Until its owner was told, it is the
 * earliest time.
 * @param days SQL of GPUQ_NEVER_FITS_DAYS
 */
export const neverFitsEnd = (days: string) => `
  CASE WHEN ${days} > 0 AND j.status = 'pending' AND j.never_fits_since IS NOT NULL AND ${lostNode('j')}
       THEN coalesce(j.never_fits_ends_at, greatest(j.never_fits_since + make_interval(days => ${days}), now() + interval '1 day')) END`

/**
 * Ends the waiting jobs that no node has fitted for the days that the admin allows, since an admin removed one. Tells their
 * owners a day before, each target once per job.
 */
export async function endNeverFitting(): Promise<void> {
  const { GPUQ_NEVER_FITS_DAYS: days } = env()
  if (days === 0) return
  await warn(days)
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'stranded-jobs',
    text: `SELECT j.id FROM jobs j WHERE ${stranded} AND j.never_fits_ends_at <= now()`,
    values: [days],
  })
  for (const { id } of rows) await end(id, days)
}

/** The day begins when the owner is told, however late that is. */
async function warn(days: number): Promise<void> {
  await database().pool.query({
    name: 'warn-stranded-jobs',
    text: `WITH warned AS (
             UPDATE jobs SET never_fits_ends_at = greatest(never_fits_since + make_interval(days => $1 + 1), now() + interval '1 day')
              WHERE id IN (SELECT j.id FROM jobs j WHERE ${stranded} AND j.never_fits_ends_at IS NULL)
             RETURNING id, user_id, name, status, reason, reason_detail, never_fits_ends_at
           )
           INSERT INTO notification_deliveries (id, user_id, target_id, job_id, event, data, lane)
           SELECT gen_random_uuid(), j.user_id, t.id, j.id, 'job.never_fits',
                  jsonb_build_object('job_id', j.id, 'name', j.name, 'status', j.status, 'reason', j.reason,
                                     'reason_detail', j.reason_detail, 'stops_at', rfc3339(j.never_fits_ends_at)), t.id::text
             FROM warned j JOIN users u ON u.id = j.user_id AND u.disabled_at IS NULL
             JOIN notification_targets t ON t.user_id = j.user_id AND t.paused_at IS NULL AND 'job.never_fits' = ANY (t.events)
               ON CONFLICT DO NOTHING`,
    values: [days - 1],
  })
}

/** A node may have returned since the jobs were read. */
async function end(jobId: string, days: number): Promise<void> {
  await transaction(async (tx) => {
    const job = await findRow<{ reason_detail: string | null }>(
      tx,
      `SELECT j.reason_detail FROM jobs j WHERE j.id = $2 AND ${stranded} FOR UPDATE`,
      [days, jobId],
    )
    if (!job) return
    const waited = `An admin removed a node, and no other fitted for ${days} ${days === 1 ? 'day' : 'days'}.`
    const detail = [toEndDetail(job.reason_detail ?? ''), waited].filter(Boolean).join(' ')
    await finishWaiting(tx, jobId, { reason: 'never_fits', detail, exitCode: null })
  })
}
