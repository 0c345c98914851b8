import type { Transaction } from '../../database/transaction'
import { notifyLeader, notifyWatchers } from './announce'
import type { Attempt } from './place'

/**
 * Returns a job whose attempt its group has stopped to the waiting jobs, where it is held until the group resumes it. Does nothing if that
 * attempt is not live.
 */
export async function pauseAttempt(tx: Transaction, { jobId, attempt }: Attempt): Promise<void> {
  await tx.query({
    name: 'pause-attempt',
    text: `UPDATE jobs SET status = 'pending', held = true, reason = 'group_paused', not_before = NULL, started_at = NULL,
                  reason_detail = (SELECT regexp_replace(m.stop_reason, '^Stopped', 'Paused') FROM group_members m WHERE m.group_id = jobs.group_id AND m.job_id = jobs.id),
                  network_index = NULL, assign_attempts = 0, cancel_requested_at = NULL, cancel_reason = NULL
            WHERE id = $1 AND attempt = $2 AND status IN ('scheduled', 'running') RETURNING ${notifyLeader('id')}`,
    values: [jobId, attempt],
  })
}

/** Lets jobs continue that their group has paused. Returns those that were paused. The caller wakes the leader. */
export async function resumeJobs(tx: Transaction, jobIds: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string; pg_notify: string }>({
    name: 'resume-jobs',
    text: `UPDATE jobs SET held = false, reason = NULL, reason_detail = NULL
            WHERE id = ANY ($1::uuid[]) AND status = 'pending' AND reason = 'group_paused' RETURNING id, ${notifyWatchers('id')}`,
    values: [jobIds],
  })
  return rows.map(({ id }) => id)
}
