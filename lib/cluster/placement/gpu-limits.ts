import { jobLimitOf } from '../../access/limits'
import { database } from '../../database/client'
import { acquireLockOf } from '../../database/locks'
import { oneRow, type Transaction } from '../../database/transaction'
import { gpuMilliOf } from '../../scheduling/queue-order'
import type { JobFacts, ProjectShare, ResourceRequest } from '../../scheduling/types'

/** SQL for the limit `max_concurrent_gpus` in thousandths of GPUs, with the aliases of {@link jobLimitOf}. */
const userMilli = `round(${jobLimitOf('max_concurrent_gpus')}::numeric * 1000)::float8`

/** Reads the limits of concurrent GPUs by project that the given jobs of each user could exceed together. */
export async function readUserGpuLimits(
  waiting: readonly JobFacts[],
  running: readonly JobFacts[],
): Promise<ReadonlyMap<string, ProjectShare['userLimits']>> {
  const { rows } = await database().pool.query<{ projectId: string; userId: string; milli: number }>({
    name: 'user-gpu-limits',
    text: `SELECT p.id AS "projectId", u.id AS "userId", ${userMilli} AS milli
             FROM unnest($1::uuid[], $2::uuid[]) AS w (user_id, project_id)
             JOIN users u ON u.id = w.user_id JOIN projects p ON p.id = w.project_id JOIN role_limits r ON r.role = u.role
            WHERE ${userMilli} IS NOT NULL`,
    values: usersByProject(waiting),
  })
  const wanted = new Map<string, number>()
  for (const job of rows.length === 0 ? [] : [...waiting, ...running])
    wanted.set(job.userId, (wanted.get(job.userId) ?? 0) + gpuMilliOf(job))
  const limits = new Map<string, { userId: string; milli: number }[]>()
  for (const { projectId, userId, milli } of rows) {
    // The scheduler is faster with fewer limits.
    if ((wanted.get(userId) ?? 0) <= milli) continue
    limits.set(projectId, [...(limits.get(projectId) ?? []), { userId, milli }])
  }
  return limits
}

/** Returns each pair of a user and a project once, as two arrays. */
function usersByProject(jobs: readonly JobFacts[]): [userIds: string[], projectIds: string[]] {
  const pairs = new Map(
    jobs.map(({ userId, projectId }) => [`${userId} ${projectId}`, { userId, projectId }]),
  )
  return [
    [...pairs.values()].map(({ userId }) => userId),
    [...pairs.values()].map(({ projectId }) => projectId),
  ]
}

/** The limits on the GPUs that the jobs of a job's user and project hold at once. Null: unlimited. */
export interface GpuLimits {
  userId: string
  projectId: string
  userMilli: number | null
  projectMilli: number | null
}

/** SQL for the columns of {@link GpuLimits} in a query of jobs. */
export const gpuLimitColumns = `jobs.user_id AS "userId", jobs.project_id AS "projectId",
  (SELECT gpu_quota_milli FROM projects WHERE id = jobs.project_id) AS "projectMilli",
  (SELECT ${userMilli} FROM users u JOIN role_limits r ON r.role = u.role JOIN projects p ON p.id = jobs.project_id
    WHERE u.id = jobs.user_id) AS "userMilli"`

/**
 * Checks whether a job would exceed the limit of its user or the quota of its project now. Keeps a lock, so that of
 * two jobs that start at the same moment each counts the other. The lock must be the last of the transaction.
 */
export async function exceedsGpuLimits(
  tx: Transaction,
  { userId, projectId, userMilli, projectMilli }: GpuLimits,
  request: ResourceRequest,
): Promise<boolean> {
  const wanted = gpuMilliOf({ request })
  if (wanted === 0) return false
  const limits = [
    { owner: 'project_id', id: projectId, milli: projectMilli },
    { owner: 'user_id', id: userId, milli: userMilli },
  ] as const
  for (const { owner, id, milli } of limits) {
    if (milli === null) continue
    await acquireLockOf(tx, 'heldGpus', id)
    if ((await readHeldMilli(tx, owner, id)) + wanted > milli) return true
  }
  return false
}

async function readHeldMilli(tx: Transaction, owner: 'project_id' | 'user_id', id: string): Promise<number> {
  const { held } = await oneRow<{ held: number }>(tx, {
    name: `held-gpus-by-${owner}`,
    text: `SELECT coalesce(sum(a.milli), 0)::float8 AS held
             FROM tasks t JOIN jobs j ON j.id = t.job_id JOIN allocations a ON a.task_id = t.id AND a.released_at IS NULL
            WHERE j.${owner} = $1 AND t.status IN ('scheduled', 'starting', 'running')`,
    values: [id],
  })
  return held
}
