import { database } from '../../database/client'
import type { Transaction } from '../../database/transaction'
import { notifyLeader, notifyWatchers } from './announce'

/**
 * SQL for the sentence with the ids of the jobs for which a job waits. Without their names: a read-only link shows the sentence to
 * people who may not see these jobs.
 */
const unfinishedJobs = (jobId: string) => `
  (SELECT 'Not completed: ' || string_agg(d.depends_on::text, ', ' ORDER BY d.depends_on) || '.'
     FROM job_dependencies d WHERE d.job_id = ${jobId})`

/** SQL for the sentence about the cost of a job that waits for an approval; null: it does not. */
const openApproval = (jobId: string) => `
  (SELECT 'It may cost ' || round(a.gpu_hours::numeric, 2) || ' GPU hours. Approve or refuse it on its page, or with gpuq approve.'
     FROM approval_requests a WHERE a.job_id = ${jobId})`

/** Holds a waiting job, or releases it. A released job still waits for an approval, and for the jobs that it depends on. */
export async function holdJob(tx: Transaction, jobId: string, held: boolean): Promise<void> {
  await tx.query(
    `UPDATE jobs SET held = $2 OR w.approval IS NOT NULL OR w.jobs IS NOT NULL,
                     reason_detail = CASE WHEN NOT $2 THEN coalesce(w.approval, w.jobs) END,
                     reason = CASE WHEN $2 THEN 'held' WHEN w.approval IS NOT NULL THEN 'approval_needed' WHEN w.jobs IS NOT NULL THEN 'dependency' END
       FROM (SELECT ${openApproval('$1')} AS approval, ${unfinishedJobs('$1')} AS jobs) AS w WHERE id = $1 AND status = 'pending'
     RETURNING ${notifyWatchers('id')}`,
    [jobId, held],
  )
}

/** Keeps a new job from starting until a person approves it. */
export async function holdForApproval(tx: Transaction, jobId: string): Promise<void> {
  await tx.query(
    `UPDATE jobs SET held = true, reason = 'approval_needed', reason_detail = ${openApproval('jobs.id')} WHERE id = $1 AND status = 'pending'`,
    [jobId],
  )
}

/** Lets an approved job start, unless somebody holds it or it waits for others. Returns false if it does not wait any more. */
export async function releaseApproved(tx: Transaction, jobId: string): Promise<boolean> {
  const { rows } = await tx.query<{ held: boolean }>(
    `SELECT reason = 'held' AS held FROM jobs WHERE id = $1 AND status = 'pending' FOR UPDATE`,
    [jobId],
  )
  const [job] = rows
  if (job && !job.held) await holdJob(tx, jobId, false)
  return job !== undefined
}

/** Stores that jobs were held or released in Slurm by hand, where gpuq still has the value that it was compared with. */
export async function adoptHolds(holds: readonly { jobId: string; held: boolean }[]): Promise<void> {
  if (holds.length === 0) return
  await database().pool.query(
    `UPDATE jobs SET held = h.held FROM unnest($1::uuid[], $2::bool[]) AS h (id, held)
      WHERE jobs.id = h.id AND jobs.held <> h.held AND jobs.status = 'pending' AND jobs.reason IS DISTINCT FROM 'group_paused'`,
    [holds.map(({ jobId }) => jobId), holds.map(({ held }) => held)],
  )
}

/** Keeps a new job from starting until the jobs that it depends on have completed. */
export async function holdForDependencies(tx: Transaction, jobId: string): Promise<void> {
  await tx.query({
    name: 'hold-for-dependencies',
    text: `UPDATE jobs SET held = true, reason = 'dependency', reason_detail = ${unfinishedJobs('jobs.id')}
            WHERE id = $1 AND status = 'pending'`,
    values: [jobId],
  })
}

/** Updates the jobs for which jobs wait, and releases those that wait for none any more, unless somebody holds them. */
export async function releaseDependents(tx: Transaction, jobIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE jobs SET held = w.detail IS NOT NULL, reason = CASE WHEN w.detail IS NOT NULL THEN 'dependency' END, reason_detail = w.detail
       FROM (SELECT id, ${unfinishedJobs('w.id')} AS detail FROM unnest($1::uuid[]) AS w (id)) AS w
      WHERE jobs.id = w.id AND jobs.status = 'pending' AND jobs.reason = 'dependency'
     RETURNING ${notifyLeader('jobs.id')}`,
    [jobIds],
  )
}
