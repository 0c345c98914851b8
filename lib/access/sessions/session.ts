import { type Role, scopes } from '../../contract/roles'
import { database } from '../../database/client'
import type { Actor } from '../actor'
import { cookieName, readSession, readSessionCookie, type SessionClaims } from './session-cookie'

interface UserRow {
  handle: string
  role: Role
  submissions_per_minute: number | null
  max_active_jobs: number | null
  stale: boolean
}

/**
 * Returns the signed-in user of the request, or in a server component of the current page; null if nobody is signed
 * in. A session ends immediately when its user is disabled or changes the password.
 */
export async function sessionUser(request?: Request): Promise<Actor | null> {
  const value = request ? readSessionCookie(request.headers.get('cookie')) : await sessionOfPage()
  const claims = value === null ? null : await readSession(value)
  return claims && actorOfSession(claims)
}

/** Returns the actor of a session if its user exists, is enabled, and has not ended the session. */
export async function actorOfSession({ sub, epoch }: SessionClaims): Promise<Actor | null> {
  const { pool } = database()
  const { rows } = await pool.query<UserRow>({
    name: 'actor-of-session',
    text: `SELECT handle, role, submissions_per_minute, max_active_jobs,
                  last_seen_at IS NULL OR last_seen_at < now() - interval '1 minute' AS stale
             FROM users WHERE id = $1 AND session_epoch = $2 AND disabled_at IS NULL`,
    values: [sub, epoch],
  })
  const [row] = rows
  if (!row) return null
  if (row.stale) await pool.query('UPDATE users SET last_seen_at = now() WHERE id = $1', [sub])
  return {
    userId: sub,
    handle: row.handle,
    role: row.role,
    scopes,
    via: 'session',
    tokenId: null,
    limits: { submissionsPerMinute: row.submissions_per_minute, maxActiveJobs: row.max_active_jobs },
  }
}

/** Starts a session for a user. Returns null if the user does not exist or is disabled. */
export async function beginSession(userId: string): Promise<SessionClaims | null> {
  const { rows } = await database().pool.query<{ session_epoch: number }>(
    'SELECT session_epoch FROM users WHERE id = $1 AND disabled_at IS NULL',
    [userId],
  )
  return rows[0] ? { sub: userId, epoch: rows[0].session_epoch } : null
}

async function sessionOfPage(): Promise<string | null> {
  const { cookies } = await import('next/headers')
  return (await cookies()).get(cookieName('session'))?.value || null
}
