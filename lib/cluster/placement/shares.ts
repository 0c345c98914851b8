import { database } from '../../database/client'
import type { ProjectShare } from '../../scheduling/types'

/** Usage older than this many half-lives is ignored. */
const maxHalfLives = 4

/**
 * Reads the weights and quotas of projects and, if a half-life is given, the decayed GPU
 * milliseconds of their users.
 * @param halfLifeMs null: the policy ignores usage, and it is not computed.
 */
export async function readShares(
  projectIds: readonly string[],
  halfLifeMs: number | null,
): Promise<Omit<ProjectShare, 'userLimits'>[]> {
  if (projectIds.length === 0) return []
  const { rows } = await database().pool.query<Omit<ProjectShare, 'usage' | 'userLimits'>>({
    name: 'project-shares',
    text: `SELECT p.id, p.weight, p.gpu_quota_milli AS "quotaMilli",
                  coalesce(used.users, '[]') AS "userUsage"
             FROM projects p
             LEFT JOIN LATERAL (
               SELECT jsonb_agg(jsonb_build_object('userId', user_id, 'usage', usage)) AS users FROM (
                 SELECT j.user_id, sum(a.milli * greatest(extract(epoch FROM coalesce(a.released_at, now()) - a.created_at), 0)
                                       * 0.5 ^ (extract(epoch FROM now() - coalesce(a.released_at, now())) * 1000 / $2::float8))::float8 AS usage
                   FROM allocations a JOIN tasks t ON t.id = a.task_id JOIN jobs j ON j.id = t.job_id
                  WHERE $2::float8 IS NOT NULL AND j.project_id = p.id AND a.created_at > now() - make_interval(secs => $2::float8 * ${maxHalfLives} / 1000)
                  GROUP BY j.user_id) each) used ON $2::float8 IS NOT NULL
            WHERE p.id = ANY ($1::uuid[])`,
    values: [projectIds, halfLifeMs],
  })
  return rows.map((share) => ({
    ...share,
    usage: share.userUsage.reduce((sum, { usage }) => sum + usage, 0),
  }))
}
