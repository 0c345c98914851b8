import { type Role, scopes } from '../../contract/roles'
import { database } from '../../database/client'
import type { Actor } from '../actor'
import { cookieName, readSession, type SessionClaims, sessionOfCookies } from './session-cookie'

interface UserRow {
  handle: string
  role: Role
  submissions_per_minute: number | null
  max_active_jobs: number | null
  stale: boolean
}

/**
 * Who is signed in with the request's cookies, or in a server component with those of the page being made; null when
 * nobody is. A session ends at once when its user is disabled or changes the password.
 */
export async function sessionUser(request?: Request): Promise<Actor | null> {
  const value = request ? sessionOfCookies(request.headers.get('cookie')) : await sessionOfPage()
  const claims = value === null ? null : await readSession(value)
  return claims && actorOfSession(claims)
}

/** The actor of a session whose user exists, is enabled, and has not ended it. */
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

/** Begins a session for a user, or returns null when there is no such user or it is disabled. */
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
