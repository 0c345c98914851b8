import { conflict, rateLimited } from '../../contract/errors'
import { acquireLockOf } from '../../database/locks'
import { oneRow, type Transaction } from '../../database/transaction'
import { env } from '../../env'

const windowS = 60

/**
 * Serializes the creation of an owner's projects until the transaction ends, so that parallel requests cannot exceed a
 * limit together. Take it before the lock on the user's row: submissions take the two in this order.
 */
export function lockOwnProjects(tx: Transaction, ownerId: string): Promise<void> {
  return acquireLockOf(tx, 'ownProjects', ownerId)
}

/**
 * Checks that the owner may have one more project. Admins have no limit. The caller holds {@link lockOwnProjects}.
 * @throws 409 for too many projects, 429 for too many new ones.
 */
export async function requireProjectAllowance(tx: Transaction, ownerId: string): Promise<void> {
  const { handle, limited, owned, recent, resetS } = await oneRow<{
    handle: string
    limited: boolean
    owned: number
    recent: number
    resetS: number
  }>(tx, {
    name: 'project-allowance',
    // clock_timestamp(): a transaction that waited for the lock began before the projects that it counts.
    text: `SELECT u.handle, u.role <> 'admin' AS limited, count(p.id)::int AS owned,
                  count(p.id) FILTER (WHERE p.created_at > clock_timestamp() - make_interval(secs => $2))::int AS recent,
                  coalesce(ceil($2 - extract(epoch FROM clock_timestamp() - min(p.created_at)
                    FILTER (WHERE p.created_at > clock_timestamp() - make_interval(secs => $2)))), 1)::int AS "resetS"
             FROM users u LEFT JOIN projects p ON p.owner_id = u.id WHERE u.id = $1 GROUP BY u.id`,
    values: [ownerId, windowS],
  })
  if (!limited) return
  const { GPUQ_MAX_PROJECTS: most, GPUQ_PROJECTS_PER_MINUTE: perMinute } = env()
  if (owned >= most) {
    throw conflict(
      `"${handle}" owns ${owned} projects, and the limit is ${most}. Delete a project that has no jobs, use an existing one, or ask an admin to raise GPUQ_MAX_PROJECTS.`,
    )
  }
  if (recent >= perMinute) {
    const retryAfterS = Math.max(1, resetS)
    throw rateLimited(
      `"${handle}" got ${recent} new projects in the last minute, and the limit is ${perMinute}. Try again in ${retryAfterS} seconds.`,
      retryAfterS,
    )
  }
}
