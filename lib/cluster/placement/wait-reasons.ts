import { database } from '../../database/client'
import { channels } from '../../database/listen'
import type { Waiting } from '../../scheduling/types'

/** Stores why jobs wait. A job in retry backoff keeps the detail of its failure. */
export async function setWaitReasons(waiting: readonly Waiting[]): Promise<void> {
  const told = waiting.filter(({ reason }) => reason !== 'backing_off')
  if (told.length === 0) return
  await database().pool.query({
    name: 'set-wait-reasons',
    text: `UPDATE jobs SET reason = w.reason, reason_detail = w.detail
             FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (id, reason, detail)
            WHERE jobs.id = w.id AND jobs.status = 'pending'
              AND (w.reason <> 'never_fits' OR jobs.not_before IS NULL OR jobs.not_before <= now())
           RETURNING pg_notify('${channels.job}', jobs.id::text)`,
    values: [
      told.map(({ jobId }) => jobId),
      told.map(({ reason }) => reason),
      told.map(({ detail }) => detail),
    ],
  })
}
