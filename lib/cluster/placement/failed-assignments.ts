import { parseSpec } from '../../contract/config/stored-spec'
import { describeWait, toEndDetail } from '../../contract/reasons'
import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import { afterFailedAssignment, assignmentLimitOf } from '../../jobs/lifecycle/assignment'
import { finishWaiting } from '../../jobs/state/finish'
import { backOff } from '../../jobs/state/requeue'
import type { Waiting } from '../../scheduling/explain'

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
      const failed = assign_attempts + 1
      const cause = describeWait('never_fits', tooLarge.get(id)?.detail)
      const { waitS, detail } = afterFailedAssignment(failed, limit, cause)
      const end = { reason: 'not_assignable', detail: toEndDetail(detail), exitCode: null } as const
      if (waitS === null) await finishWaiting(tx, id, end, failed)
      else await backOff(tx, id, { reason: 'never_fits', detail, waitS }, failed)
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
