import { parseSpec } from '../../contract/config/stored-spec'
import { describeWait, type WaitReason } from '../../contract/reasons'
import { statusesBefore } from '../../contract/status'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { type Transaction, transaction } from '../../database/transaction'
import { type AfterFailure, afterFailedAssignment, assignmentLimitOf } from '../../jobs/lifecycle/assignment'
import type { Waiting } from '../../scheduling/types'

/**
 * Counts a failed placement attempt for each job that limits them and that does not fit on any node of the current
 * cluster. Such a job backs off, or fails when the limit is reached. A busy or closed cluster does not count,
 * because the job would fit once other jobs end or a node returns.
 * @returns the ids of the jobs whose reason was updated.
 */
export async function countFailedAssignments(waiting: readonly Waiting[]): Promise<ReadonlySet<string>> {
  const tooLarge = new Map(
    waiting.filter(({ reason }) => reason === 'never_fits').map((one) => [one.jobId, one]),
  )
  if (tooLarge.size === 0 || !(await anyCounts([...tooLarge.keys()]))) return new Set()
  return transaction(async (tx) => {
    // Skips jobs in backoff: this leader counted them already, or another leader did if this one has lost its term.
    const { rows } = await tx.query<{ id: string; spec: unknown; assign_attempts: number }>(
      `SELECT id, spec, assign_attempts FROM jobs
        WHERE id = ANY ($1::uuid[]) AND status = 'pending' AND spec ? 'max_assign_attempts'
          AND (not_before IS NULL OR not_before <= now())
        ORDER BY id FOR UPDATE`,
      [[...tooLarge.keys()]],
    )
    for (const { id, spec, assign_attempts } of rows.map(parseSpec)) {
      const limit = assignmentLimitOf(spec)
      if (!limit) continue
      const cause = describeWait('never_fits', tooLarge.get(id)?.detail)
      await writeFailure(
        tx,
        id,
        assign_attempts + 1,
        afterFailedAssignment(assign_attempts + 1, limit, cause),
      )
    }
    return new Set(rows.map(({ id }) => id))
  })
}

/** Most jobs have no limit. They are checked in every pass, so they are not locked. */
async function anyCounts(jobIds: readonly string[]): Promise<boolean> {
  const { rowCount } = await database().pool.query({
    name: 'any-counts-assignments',
    text: `SELECT 1 FROM jobs WHERE id = ANY ($1::uuid[]) AND spec ? 'max_assign_attempts' LIMIT 1`,
    values: [jobIds],
  })
  return rowCount === 1
}

async function writeFailure(
  tx: Transaction,
  jobId: string,
  failed: number,
  { waitS, detail }: AfterFailure,
): Promise<void> {
  if (waitS === null) {
    await tx.query(
      `UPDATE jobs SET status = 'failed', reason = 'not_assignable', reason_detail = $2, assign_attempts = $3, ended_at = now()
        WHERE id = $1 AND status = ANY ($4::"JobStatus"[])`,
      [jobId, detail, failed, statusesBefore('failed')],
    )
  } else {
    await tx.query(
      `UPDATE jobs SET reason = 'never_fits', reason_detail = $2, assign_attempts = $3,
              not_before = now() + make_interval(secs => $4)
        WHERE id = $1`,
      [jobId, detail, failed, waitS],
    )
  }
  await tx.query('SELECT pg_notify($1, $3), pg_notify($2, $3)', [channels.job, channels.queue, jobId])
}

/** Why a waiting job waits. */
export interface JobWait {
  jobId: string
  reason: WaitReason
  detail: string | null
}

/** Stores why jobs wait. A job in retry backoff keeps the detail of its failure. */
export async function setWaitReasons(waiting: readonly JobWait[]): Promise<void> {
  const explained = waiting.filter(({ reason }) => reason !== 'backing_off')
  if (explained.length === 0) return
  await database().pool.query({
    name: 'set-wait-reasons',
    text: `UPDATE jobs SET reason = w.reason, reason_detail = w.detail
             FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (id, reason, detail)
            WHERE jobs.id = w.id AND jobs.status = 'pending' AND (NOT jobs.held OR w.reason = 'slurm_held')
              AND (w.reason <> 'never_fits' OR jobs.not_before IS NULL OR jobs.not_before <= now())
           RETURNING pg_notify('${channels.job}', jobs.id::text)`,
    values: [
      explained.map(({ jobId }) => jobId),
      explained.map(({ reason }) => reason),
      explained.map(({ detail }) => detail),
    ],
  })
}
