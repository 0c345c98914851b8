import { parseSpec } from '../../contract/config/stored-spec'
import { describeReason } from '../../contract/reasons'
import { statusesBefore } from '../../contract/status'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { type Transaction, transaction } from '../../database/transaction'
import { type AfterFailure, afterFailedAssignment, assignmentLimitOf } from '../../jobs/lifecycle/assignment'
import type { Waiting } from '../../scheduling/types'

/**
 * Counts a failed attempt for each job that limits them and that no node of the cluster could ever take, as it stands.
 * Such a job rests before it is looked at again, or fails. A cluster that is busy or closed is no failed attempt: what
 * would fit once others end or a node comes back just waits. Returns the jobs that were told.
 */
export async function countFailedAssignments(waiting: readonly Waiting[]): Promise<ReadonlySet<string>> {
  const tooLarge = new Map(
    waiting.filter(({ reason }) => reason === 'never_fits').map((one) => [one.jobId, one]),
  )
  if (tooLarge.size === 0 || !(await anyCounts([...tooLarge.keys()]))) return new Set()
  return transaction(async (tx) => {
    // A job that rests was counted meanwhile, by this leader or by one that does not know yet that it is none.
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
      const because = describeReason('never_fits', tooLarge.get(id)?.detail)
      await writeFailure(
        tx,
        id,
        assign_attempts + 1,
        afterFailedAssignment(assign_attempts + 1, limit, because),
      )
    }
    return new Set(rows.map(({ id }) => id))
  })
}

/** Most jobs do not, and are looked at in every pass: they are not locked for it. */
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
