import { readJobNetworks } from '../../contract/job-network'
import { acquireLock } from '../../database/locks'
import { findRow, type Transaction } from '../../database/transaction'
import { env } from '../../env'
import type { Placement } from '../../scheduling/types'

/** An attempt of a job, which the placement begins. */
export type Attempt = Pick<Placement, 'jobId' | 'attempt'>

const nextAttempt = `
  UPDATE jobs SET status = 'scheduled', attempt = attempt + 1, reason = NULL, reason_detail = NULL, not_before = NULL
   WHERE id = $1 AND status = 'pending'`

/** SQL for whether the row `b` of `used_up_budgets` is of the period that is now. */
export const isCurrentBudget = '(b.until IS NULL OR b.until > now())'

/** SQL for whether the row `b` of `used_up_budgets` is a budget of the job: of its user, project, group or token. */
export const isBudgetOf = (job: string) =>
  `(b.owner_id IN (${['user_id', 'project_id', 'group_id', 'token_id'].map((column) => `${job}.${column}`).join(', ')}) AND ${isCurrentBudget})`

/** SQL for whether something is left of all budgets of the job, as far as the leader knows. */
export const hasBudgetLeft = (job: string) =>
  `NOT EXISTS (SELECT 1 FROM used_up_budgets b WHERE ${isBudgetOf(job)})`

/**
 * SQL that begins the attempt `$2` of the job `$1`, if the job waits for that attempt, nobody holds it, and no budget of it is used up.
 */
export const placeJobSql = `${nextAttempt} AND NOT held AND attempt = $2 - 1 AND ${hasBudgetLeft('jobs')}`

/**
 * Begins an attempt that the scheduler planned.
 * @param columns SQL of what is returned: one text, because the statement is prepared.
 * @returns null if the job no longer waits for that attempt, or is held.
 */
export function placeJob<Row extends object>(
  tx: Transaction,
  { jobId, attempt }: Attempt,
  columns: string,
): Promise<Row | null> {
  const text = `${placeJobSql} RETURNING ${columns}`
  return findRow(tx, { name: 'place-job', text, values: [jobId, attempt] })
}

/** Begins the next attempt of a job that Slurm has started, also if somebody has held it since. Null: it does not wait. */
export function placeStartedJob(
  tx: Transaction,
  jobId: string,
): Promise<{ attempt: number; spec: unknown } | null> {
  const text = `${nextAttempt} RETURNING attempt, spec`
  return findRow(tx, { name: 'place-started-job', text, values: [jobId] })
}

/**
 * Reserves a subnet for the attempt: the first free one, starting at an offset that depends on the attempt. The
 * offset avoids immediate reuse: a lost node may still run a container of an earlier attempt in the old subnet.
 * @returns false if none is free.
 */
export async function reserveSubnet(tx: Transaction, { jobId, attempt }: Attempt): Promise<boolean> {
  // Serialized, because two transactions would choose the same subnet.
  await acquireLock(tx, 'jobNetwork')
  const { rowCount } = await tx.query({
    name: 'reserve-subnet',
    text: `WITH own AS (SELECT (abs(hashtextextended($1::text, 0) % $2::int)::int + $3::int * 97) % $2::int AS first)
           UPDATE jobs SET network_index = free.index
             FROM (SELECT index FROM own, generate_series(0, $2::int - 1) AS index
                    WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE network_index = index)
                    ORDER BY (index - first + $2::int) % $2::int LIMIT 1) AS free
            WHERE jobs.id = $1::uuid AND status = 'scheduled' AND attempt = $3::int`,
    values: [jobId, readJobNetworks(env().GPUQ_JOB_NETWORKS).count, attempt],
  })
  return rowCount === 1
}
