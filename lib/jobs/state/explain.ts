import type { WaitReason } from '../../contract/reasons'
import { database } from '../../database/client'
import { notifyWatchers } from './announce'
import { ofLiveAttempt } from './start'

/** Why a waiting job waits. */
export interface JobWait {
  jobId: string
  reason: WaitReason
  detail: string | null
}

/** Stores why jobs wait. A job in retry backoff keeps the detail of its failure. */
export async function explainWaits(waiting: readonly JobWait[]): Promise<void> {
  const explained = waiting.filter(({ reason }) => reason !== 'backing_off')
  if (explained.length === 0) return
  await database().pool.query({
    name: 'explain-waits',
    text: `UPDATE jobs SET reason = w.reason, reason_detail = w.detail
             FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (id, reason, detail)
            WHERE jobs.id = w.id AND jobs.status = 'pending' AND (NOT jobs.held OR (w.reason = 'slurm_held' AND jobs.reason IS DISTINCT FROM 'group_paused'))
              AND (w.reason <> 'never_fits' OR jobs.not_before IS NULL OR jobs.not_before <= now())
           RETURNING ${notifyWatchers('jobs.id')}`,
    values: [
      explained.map(({ jobId }) => jobId),
      explained.map(({ reason }) => reason),
      explained.map(({ detail }) => detail),
    ],
  })
}

/** Stores why the jobs that wait are not in Slurm. */
export async function explainUnsubmitted(
  reason: 'slurm_unreachable' | 'slurm_submitting' | 'stopped',
): Promise<void> {
  await database().pool.query({
    name: 'explain-unsubmitted',
    text: `UPDATE jobs SET reason = $1, reason_detail = NULL
            WHERE status = 'pending' AND NOT held AND (not_before IS NULL OR not_before <= now())
              AND reason IS DISTINCT FROM $1
              AND NOT EXISTS (SELECT 1 FROM slurm_jobs s WHERE s.job_id = jobs.id AND s.ended_at IS NULL AND s.slurm_id IS NOT NULL)
           RETURNING ${notifyWatchers('id')}`,
    values: [reason],
  })
}

/**
 * SQL that stores why the job of the row `task` makes no progress, as the last part of a statement about the task.
 * @param reason SQL; null: it makes progress.
 */
export const explainRunSql = (reason: string) => `
  UPDATE jobs SET reason = ${reason}, reason_detail = NULL FROM task WHERE ${ofLiveAttempt} RETURNING ${notifyWatchers('jobs.id')}`
