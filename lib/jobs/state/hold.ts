import { database } from '../../database/client'
import type { Transaction } from '../../database/transaction'
import { notifyQueue, notifyWatchers } from './announce'

/** SQL for the sentence about the cost of a job that waits for an approval; null: it does not. */
const openApproval = (jobId: string) => `
  (SELECT 'It may cost ' || round(a.gpu_hours::numeric, 2) || ' GPU hours. Approve or refuse it on its page, or with gpuq approve.'
     FROM approval_requests a WHERE a.job_id = ${jobId})`

/**
 * Holds a waiting job, or releases it. A released job still waits for an approval, and for the jobs that it depends on.
 * @param wait for which jobs and groups it waits, as a sentence; null: for none
 */
export async function holdJob(
  tx: Transaction,
  jobId: string,
  held: boolean,
  wait: string | null,
): Promise<void> {
  await tx.query(
    `UPDATE jobs SET held = $2 OR w.approval IS NOT NULL OR $3::text IS NOT NULL,
                     reason_detail = CASE WHEN NOT $2 THEN coalesce(w.approval, $3) END,
                     reason = CASE WHEN $2 THEN 'held' WHEN w.approval IS NOT NULL THEN 'approval_needed' WHEN $3 IS NOT NULL THEN 'dependency' END
       FROM (SELECT ${openApproval('$1')} AS approval) AS w WHERE id = $1 AND status = 'pending'
     RETURNING ${notifyWatchers('id')}`,
    [jobId, held, wait],
  )
}

/** Keeps a new job from starting until a person approves it. */
export async function holdForApproval(tx: Transaction, jobId: string): Promise<void> {
  await tx.query(
    `UPDATE jobs SET held = true, reason = 'approval_needed', reason_detail = ${openApproval('jobs.id')} WHERE id = $1 AND status = 'pending'`,
    [jobId],
  )
}

/**
 * Lets an approved job start, unless somebody holds it or it waits for others, as `wait` says. Returns false if it does not wait any
 * more.
 */
export async function releaseApproved(tx: Transaction, jobId: string, wait: string | null): Promise<boolean> {
  const { rows } = await tx.query<{ held: boolean }>(
    `SELECT reason = 'held' AS held FROM jobs WHERE id = $1 AND status = 'pending' FOR UPDATE`,
    [jobId],
  )
  const [job] = rows
  if (job && !job.held) await holdJob(tx, jobId, false, wait)
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

/** Keeps a new job from starting until the jobs and groups that it depends on have ended. */
export async function holdForDependencies(tx: Transaction, jobId: string, wait: string): Promise<void> {
  await tx.query({
    name: 'hold-for-dependencies',
    text: `UPDATE jobs SET held = true, reason = 'dependency', reason_detail = $2 WHERE id = $1 AND status = 'pending'`,
    values: [jobId, wait],
  })
}

/** For which other jobs and groups a job waits now. */
export interface DependentWait {
  jobId: string
  /** Null: for none any more. */
  sentence: string | null
}

/** Stores for what jobs wait that depend on others, and releases those that wait for none any more, unless somebody holds them. */
export async function updateDependents(tx: Transaction, waits: readonly DependentWait[]): Promise<void> {
  await tx.query(
    `UPDATE jobs SET held = w.sentence IS NOT NULL, reason = CASE WHEN w.sentence IS NOT NULL THEN 'dependency' END, reason_detail = w.sentence
       FROM unnest($1::uuid[], $2::text[]) AS w (id, sentence)
      WHERE jobs.id = w.id AND jobs.status = 'pending' AND jobs.reason = 'dependency' AND jobs.reason_detail IS DISTINCT FROM w.sentence
     RETURNING CASE WHEN w.sentence IS NULL THEN ${notifyQueue('jobs.id')} END, ${notifyWatchers('jobs.id')}`,
    [waits.map(({ jobId }) => jobId), waits.map(({ sentence }) => sentence)],
  )
}
