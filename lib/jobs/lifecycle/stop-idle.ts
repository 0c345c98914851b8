import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import { requestStop } from '../state/cancel'
import type { Attempt } from '../state/place'

/** SQL. After a longer time without a sample, nobody knows whether the GPUs were idle. */
export const sampleGap = "interval '2 minutes'"

/**
 * SQL for the running jobs that the policy warns, because for half of the time that it allows none of their GPUs had a load in any
 * sample: `job_id`, `since` and `stops_at`. A job without samples, such as one without GPUs or with simulated ones, is never idle.
 * @param condition SQL that selects tasks `t`.
 */
export const idleJobs = (condition: string) => `
  SELECT job_id, since, since + make_interval(mins => idle_gpu_minutes) AS stops_at
    FROM policies, (SELECT t.job_id, max(t.gpu_idle_since) AS since FROM tasks t
                     WHERE ${condition} AND t.status IN ('scheduled', 'starting', 'running')
                     GROUP BY t.job_id
                    HAVING bool_and(t.gpu_idle_since IS NOT NULL AND t.gpu_sampled_at > now() - ${sampleGap})) AS idle
   WHERE since <= now() - make_interval(secs => 30 * idle_gpu_minutes)`

/**
 * Warns the owners of jobs with idle GPUs, each target once per job, and stops the jobs whose GPUs were idle for the time
 * that the policy allows.
 */
export async function stopIdleJobs(): Promise<void> {
  await database().pool.query({
    name: 'warn-idle-jobs',
    text: `INSERT INTO notification_deliveries (id, user_id, target_id, job_id, event, data, lane)
           SELECT gen_random_uuid(), j.user_id, t.id, j.id, 'job.idle',
                  jsonb_build_object('job_id', j.id, 'name', j.name, 'status', j.status, 'reason', NULL, 'reason_detail', NULL,
                                     'idle_since', rfc3339(i.since), 'stops_at', rfc3339(i.stops_at)), t.id::text
             FROM (${idleJobs('true')}) i
             JOIN jobs j ON j.id = i.job_id AND j.cancel_requested_at IS NULL
             JOIN users u ON u.id = j.user_id AND u.disabled_at IS NULL
             JOIN notification_targets t ON t.user_id = j.user_id AND t.paused_at IS NULL AND 'job.idle' = ANY (t.events)
            ON CONFLICT DO NOTHING`,
  })
  const { rows } = await database().pool.query<Attempt>({
    name: 'overdue-idle-jobs',
    text: `SELECT i.job_id AS "jobId", j.attempt FROM (${idleJobs('true')}) i JOIN jobs j ON j.id = i.job_id AND j.cancel_requested_at IS NULL
            WHERE i.stops_at <= now()`,
  })
  for (const attempt of rows) await transaction((tx) => requestStop(tx, attempt, 'idle_gpu'))
}
