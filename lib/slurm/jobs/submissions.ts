import { uuidv7 } from 'uuidv7'
import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import { finishWaiting } from '../../jobs/state/finish'
import { slurmTargetOf } from '../cluster/targets'

/** Where a job goes in Slurm; null: Slurm's default. */
export interface SlurmTarget {
  account: string | null
  partition: string | null
  qos: string | null
  reservation: string | null
}

/** A waiting job that is not in Slurm. */
export interface UnsubmittedJob {
  id: string
  /** The last attempt; 0: none yet. */
  attempt: number
  spec: StoredSpec
  priority: number
  timeLimitS: number
  expectedTimeS: number
  /** The handle of the job's owner. */
  owner: string
  target: SlurmTarget
}

/**
 * SQL for the jobs that Slurm should have and does not: those that wait and are not held, whose backoff is over, and that have no live row.
 * None while the scheduler is stopped.
 */
const unsubmitted = `j.status = 'pending' AND NOT j.held AND (j.not_before IS NULL OR j.not_before <= now())
  AND NOT EXISTS (SELECT 1 FROM slurm_jobs s WHERE s.job_id = j.id AND s.ended_at IS NULL)`

/** Reads the jobs to submit, in the order of their submission. */
export async function readUnsubmitted(limit: number): Promise<UnsubmittedJob[]> {
  const { rows } = await database().pool.query<Unparsed<UnsubmittedJob>>({
    name: 'slurm-unsubmitted',
    text: `SELECT j.id, j.attempt, j.spec, j.priority, j.time_limit_s AS "timeLimitS", j.expected_time_s AS "expectedTimeS",
                  u.handle AS owner,
                  jsonb_build_object('account', t.account, 'partition', t.partition, 'qos', t.qos, 'reservation', t.reservation) AS target
             FROM jobs j JOIN users u ON u.id = j.user_id
             LEFT JOIN LATERAL (${slurmTargetOf('j.project_id', "coalesce(j.spec->>'pool', 'on-demand')")}) t ON true
            WHERE ${unsubmitted} AND (SELECT running FROM policies)
            ORDER BY j.created_at, j.id LIMIT $1`,
    values: [limit],
  })
  return rows.map(parseSpec)
}

/** A row of `slurm_jobs` before its submission. */
interface NewSlurmJob {
  jobId: string
  secretHash: Buffer
  nodes: number
  nice: number
}

/**
 * Inserts a row before the submission, so that a submission whose answer is lost can be found by the row's id.
 * @returns the row's id; null if the job no longer waits, or another leader submits it.
 */
export async function insertSlurmJob(job: NewSlurmJob): Promise<string | null> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'insert-slurm-job',
    text: `INSERT INTO slurm_jobs (id, job_id, secret_hash, nodes, nice)
           SELECT $1, j.id, $3, $4, $5 FROM jobs j WHERE j.id = $2 AND ${unsubmitted}
           ON CONFLICT DO NOTHING RETURNING id`,
    values: [uuidv7(), job.jobId, job.secretHash, job.nodes, job.nice],
  })
  return rows[0]?.id ?? null
}

/**
 * Records the id that Slurm gave. Does nothing if the row has ended, or if another live row has the id: Slurm counts from
 * the start after it lost its state. The next poll then finds the job by its comment.
 */
export async function recordSlurmId(rowId: string, slurmId: number): Promise<void> {
  await database().pool.query({
    name: 'record-slurm-id',
    text: `UPDATE slurm_jobs SET slurm_id = $2, submitted_at = now()
            WHERE id = $1 AND slurm_id IS NULL AND ended_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM slurm_jobs o WHERE o.slurm_id = $2 AND o.ended_at IS NULL)`,
    values: [rowId, slurmId],
  })
}

/** Ends a job that Slurm refuses, with Slurm's message, and its row if it has one. */
export async function recordRefusal(jobId: string, rowId: string | null, message: string): Promise<void> {
  await transaction(async (tx) => {
    if (rowId !== null)
      await tx.query(`UPDATE slurm_jobs SET ended_at = now(), state = 'REFUSED' WHERE id = $1`, [rowId])
    await finishWaiting(tx, jobId, { reason: 'slurm_refused', detail: message, exitCode: null })
  })
}
