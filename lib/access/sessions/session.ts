import { scopes } from '../../contract/roles'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'
import type { Actor } from '../actor'
import { limitsOf } from '../limits'
import { cookieName, readSession, readSessionCookie, type SessionClaims } from './session-cookie'

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
  const row = await findRow<Pick<Actor, 'handle' | 'role' | 'limits'> & { stale: boolean }>(pool, {
    name: 'actor-of-session',
    text: `SELECT handle, role, ${limitsOf('users')},
                  last_seen_at IS NULL OR last_seen_at < now() - interval '1 minute' AS stale
             FROM users WHERE id = $1 AND session_epoch = $2 AND disabled_at IS NULL`,
    values: [sub, epoch],
  })
  if (!row) return null
  const { stale, ...user } = row
  if (stale) await pool.query('UPDATE users SET last_seen_at = now() WHERE id = $1', [sub])
  return { userId: sub, ...user, scopes, via: 'session', tokenId: null }
}

/** Starts a session for a user. Returns null if the user does not exist or is disabled. */
export async function beginSession(userId: string): Promise<SessionClaims | null> {
  return findRow<SessionClaims>(
    database().pool,
    'SELECT id AS sub, session_epoch AS epoch FROM users WHERE id = $1 AND disabled_at IS NULL',
    [userId],
  )
}

async function sessionOfPage(): Promise<string | null> {
  const { cookies } = await import('next/headers')
  return (await cookies()).get(cookieName('session'))?.value || null
}
