import type { SlurmStopReason } from '../../contract/reasons'
import type { JobStatus } from '../../contract/status'
import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import { finishWaiting, type Outcome } from '../../jobs/state/finish'
import { backOff, type Wait } from '../../jobs/state/requeue'

/** A row of `slurm_jobs` that has not ended, with what gpuq knows about its job. */
export interface LiveSlurmJob {
  id: string
  jobId: string
  /** Null: no answer to the submission is known. */
  slurmId: number | null
  state: string | null
  reason: string | null
  startsAt: Date | null
  /** Whether Slurm held it at the last poll while it waited, or gpuq has held it there since. */
  held: boolean
  nice: number
  restarts: number
  /** The last attempt that ran in it, and in which start by Slurm; null: none. */
  attempt: number | null
  attemptRestart: number | null
  stopReason: SlurmStopReason | null
  /** Null: the job was deleted. */
  status: JobStatus | null
  priority: number
  /** Whether gpuq must not let the job start. */
  jobHeld: boolean
  /** The handle of the job's owner. */
  owner: string | null
  waitReason: string | null
  waitDetail: string | null
  /** Whether a task of that attempt has not ended. */
  hasLiveTask: boolean
  /** Seconds since gpuq was done with that attempt, or with the job; null: it is not. */
  doneSeconds: number | null
}

export async function readLiveSlurmJobs(): Promise<LiveSlurmJob[]> {
  const { rows } = await database().pool.query<LiveSlurmJob>({
    name: 'live-slurm-jobs',
    text: `SELECT s.id, s.job_id AS "jobId", s.slurm_id AS "slurmId", s.state, s.reason, s.starts_at AS "startsAt", s.held, s.nice,
                  s.restarts, s.attempt, s.attempt_restart AS "attemptRestart", s.stop_reason AS "stopReason",
                  j.status, coalesce(j.priority, 0) AS priority, coalesce(j.held, false) AS "jobHeld", u.handle AS owner, j.reason AS "waitReason", j.reason_detail AS "waitDetail",
                  coalesce(t.live, false) AS "hasLiveTask",
                  extract(epoch FROM now() - CASE WHEN t.live THEN NULL WHEN j.id IS NULL THEN s.created_at
                                                  ELSE coalesce(j.ended_at, t.ended) END)::float8 AS "doneSeconds"
             FROM slurm_jobs s LEFT JOIN jobs j ON j.id = s.job_id LEFT JOIN users u ON u.id = j.user_id
             LEFT JOIN LATERAL (
               SELECT bool_or(status IN ('scheduled', 'starting', 'running')) AS live, max(ended_at) AS ended
                 FROM tasks WHERE job_id = s.job_id AND attempt = s.attempt) t ON s.attempt IS NOT NULL
            WHERE s.ended_at IS NULL ORDER BY s.created_at, s.id`,
  })
  return rows
}

/** What is stored of Slurm's state of a job. */
export type SlurmFacts = Pick<LiveSlurmJob, 'state' | 'reason' | 'startsAt' | 'held' | 'restarts'>

/** Stores what changed. A row that has ended in the meantime stays as it is. */
export async function storeFacts(facts: readonly (SlurmFacts & { id: string })[]): Promise<void> {
  if (facts.length === 0) return
  await database().pool.query({
    name: 'store-slurm-facts',
    text: `UPDATE slurm_jobs s SET state = f.state, reason = f.reason, starts_at = f.starts_at, held = f.held,
                  restarts = greatest(s.restarts, f.restarts)
             FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::bool[], $6::int[])
                  AS f (id, state, reason, starts_at, held, restarts)
            WHERE s.id = f.id AND s.ended_at IS NULL`,
    values: [
      facts.map(({ id }) => id),
      facts.map(({ state }) => state),
      facts.map(({ reason }) => reason),
      facts.map(({ startsAt }) => startsAt),
      facts.map(({ held }) => held),
      facts.map(({ restarts }) => restarts),
    ],
  })
}

/**
 * Ends the row of a Slurm job that is gone. With a verdict the waiting job ends too. Otherwise it is submitted again.
 * @param state what is stored as Slurm's last state.
 * @param retry how long the job waits before that; null: not at all.
 */
export async function endSlurmJob(
  row: Pick<LiveSlurmJob, 'id' | 'jobId'>,
  state: string,
  verdict: Outcome | null,
  retry: Wait | null = null,
): Promise<void> {
  await transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE slurm_jobs SET ended_at = now(), state = $2 WHERE id = $1 AND ended_at IS NULL`,
      [row.id, state],
    )
    if (rowCount !== 1) return
    if (verdict) await finishWaiting(tx, row.jobId, verdict)
    if (retry) await backOff(tx, row.jobId, retry)
  })
}

/** Records that gpuq held a job in Slurm or released it there, so that the next poll does not take it for a change by hand. */
export async function recordHeld(rowId: string, held: boolean): Promise<void> {
  await database().pool.query('UPDATE slurm_jobs SET held = $2 WHERE id = $1', [rowId, held])
}

/** Records the nice value that gpuq gave a job. */
export async function recordNice(rowId: string, nice: number): Promise<void> {
  await database().pool.query('UPDATE slurm_jobs SET nice = $2 WHERE id = $1', [rowId, nice])
}

/** Returns those of the given rows that have ended: their Slurm jobs are not wanted. */
export async function findEndedRows(ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await database().pool.query<{ id: string }>(
    'SELECT id FROM slurm_jobs WHERE id = ANY ($1::uuid[]) AND ended_at IS NOT NULL',
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}
