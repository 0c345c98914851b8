import { jobLimitOf } from '../../access/limits'
import { database } from '../../database/client'
import { acquireLockOf } from '../../database/locks'
import { oneRow, type Transaction } from '../../database/transaction'
import { gpuMilliOf } from '../../scheduling/queue-order'
import type { JobFacts, ProjectShare, ResourceRequest, TokenLimit } from '../../scheduling/types'

/** SQL for the limit `max_concurrent_gpus` in thousandths of GPUs, with the aliases of {@link jobLimitOf}. */
const userMilli = `round(${jobLimitOf('max_concurrent_gpus')}::numeric * 1000)::float8`

/** SQL for the limit of a token `t` in thousandths of GPUs. */
const tokenMilli = `round((t.limits ->> 'max_gpus')::numeric * 1000)::float8`

/** Reads the limits of concurrent GPUs that the given jobs of a token could exceed together. */
export async function readTokenGpuLimits(
  waiting: readonly JobFacts[],
  running: readonly JobFacts[],
): Promise<TokenLimit[]> {
  const tokenIds = new Set(waiting.map(({ tokenId }) => tokenId).filter((id) => id != null))
  if (tokenIds.size === 0) return []
  const { rows } = await database().pool.query<TokenLimit>({
    name: 'token-gpu-limits',
    text: `SELECT t.id AS "tokenId", t.name, ${tokenMilli} AS milli
             FROM api_tokens t WHERE t.id = ANY ($1::uuid[]) AND ${tokenMilli} IS NOT NULL`,
    values: [[...tokenIds]],
  })
  if (rows.length === 0) return []
  const wanted = wantedBy([...waiting, ...running], ({ tokenId }) => tokenId)
  return rows.filter(({ tokenId, milli }) => (wanted.get(tokenId) ?? 0) > milli)
}

/** Adds up the thousandths of GPUs of jobs by their owner. */
function wantedBy(
  jobs: readonly JobFacts[],
  ownerOf: (job: JobFacts) => string | null | undefined,
): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>()
  for (const job of jobs) {
    const owner = ownerOf(job)
    if (owner != null) wanted.set(owner, (wanted.get(owner) ?? 0) + gpuMilliOf(job))
  }
  return wanted
}

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
  const wanted = wantedBy(rows.length === 0 ? [] : [...waiting, ...running], ({ userId }) => userId)
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

/** The limits on the GPUs that the jobs of a job's user, project and token hold at once. Null: unlimited. */
export interface GpuLimits {
  userId: string
  projectId: string
  userMilli: number | null
  projectMilli: number | null
  /** Null: a session submitted it. */
  tokenId: string | null
  tokenMilli: number | null
}

/** SQL for the columns of {@link GpuLimits} in a query of jobs. */
export const gpuLimitColumns = `jobs.user_id AS "userId", jobs.project_id AS "projectId", jobs.token_id AS "tokenId",
  (SELECT gpu_quota_milli FROM projects WHERE id = jobs.project_id) AS "projectMilli",
  (SELECT ${userMilli} FROM users u JOIN role_limits r ON r.role = u.role JOIN projects p ON p.id = jobs.project_id
    WHERE u.id = jobs.user_id) AS "userMilli",
  (SELECT ${tokenMilli} FROM api_tokens t WHERE t.id = jobs.token_id) AS "tokenMilli"`

/**
 * Checks whether a job would exceed the limit of its user or token, or the quota of its project now. Keeps a lock, so that of
 * two jobs that start at the same moment each counts the other. The lock must be the last of the transaction.
 */
export async function exceedsGpuLimits(
  tx: Transaction,
  { userId, projectId, tokenId, userMilli, projectMilli, tokenMilli }: GpuLimits,
  request: ResourceRequest,
): Promise<boolean> {
  const wanted = gpuMilliOf({ request })
  if (wanted === 0) return false
  const limits = [
    { owner: 'project_id', id: projectId, milli: projectMilli },
    { owner: 'user_id', id: userId, milli: userMilli },
    { owner: 'token_id', id: tokenId, milli: tokenMilli },
  ] as const
  for (const { owner, id, milli } of limits) {
    if (id === null || milli === null) continue
    await acquireLockOf(tx, 'heldGpus', id)
    if ((await readHeldMilli(tx, owner, id)) + wanted > milli) return true
  }
  return false
}

async function readHeldMilli(
  tx: Transaction,
  owner: 'project_id' | 'user_id' | 'token_id',
  id: string,
): Promise<number> {
  const { held } = await oneRow<{ held: number }>(tx, {
    name: `held-gpus-by-${owner}`,
    text: `SELECT coalesce(sum(a.milli), 0)::float8 AS held
             FROM tasks t JOIN jobs j ON j.id = t.job_id JOIN allocations a ON a.task_id = t.id AND a.released_at IS NULL
            WHERE j.${owner} = $1 AND t.status IN ('scheduled', 'starting', 'running')`,
    values: [id],
  })
  return held
}
