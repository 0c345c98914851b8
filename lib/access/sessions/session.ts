import { uuidv7 } from 'uuidv7'
import { scopes } from '../../contract/access/roles'
import { database } from '../../database/client'
import { findRow, type Transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { limitsOf } from '../limits'
import type { SessionClient } from './session-client'
import {
  cookieName,
  readSession,
  readSessionCookie,
  type SessionClaims,
  sessionSeconds,
} from './session-cookie'

/** SQL condition for a session `s` of the user `u` that has not ended. */
export const liveSession = 's.expires_at > now() AND s.epoch = u.session_epoch AND u.disabled_at IS NULL'

/**
 * Returns the signed-in user of the request, or in a server component of the current page; null if nobody is signed
 * in. A session ends immediately when its row is deleted, or when its user is disabled or changes the password.
 */
export async function sessionUser(request?: Request): Promise<Actor | null> {
  const value = request ? readSessionCookie(request.headers.get('cookie')) : await sessionOfPage()
  const claims = value === null ? null : await readSession(value)
  return claims && actorOfSession(claims)
}

/**
 * Returns the actor of a session, or null if it has ended. Needs one query; stores the last use with a resolution of
 * one minute.
 */
export async function actorOfSession({ sub, sid }: SessionClaims): Promise<Actor | null> {
  const { pool } = database()
  const row = await findRow<Pick<Actor, 'handle' | 'role' | 'limits'> & { stale: boolean }>(pool, {
    name: 'actor-of-session',
    text: `SELECT u.handle, u.role, ${limitsOf('u')},
                  u.last_seen_at IS NULL OR s.last_seen_at < now() - interval '1 minute' AS stale
             FROM sessions s JOIN users u ON u.id = s.user_id
            WHERE s.id = $1 AND s.user_id = $2 AND ${liveSession}`,
    values: [sid, sub],
  })
  if (!row) return null
  const { stale, ...user } = row
  if (stale) {
    await pool.query(
      `WITH seen AS (UPDATE users SET last_seen_at = now() WHERE id = $2)
       UPDATE sessions SET last_seen_at = now() WHERE id = $1`,
      [sid, sub],
    )
  }
  return { userId: sub, ...user, scopes, via: 'session', tokenId: null, sessionId: sid, restriction: null }
}

/** Sessions of one user. Enough for every browser, and it limits the database's growth. */
const sessionsPerUser = 100

/**
 * Starts a session for a user, and ends the least recently used ones above the limit. Returns null if the user does not
 * exist or is disabled. `epoch` is the user's session epoch if it was read before: if it has changed in the meantime,
 * the new session is invalid immediately.
 */
export async function beginSession(
  executor: Transaction,
  { userId, epoch = null }: { userId: string; epoch?: number | null },
  client: SessionClient,
): Promise<SessionClaims | null> {
  const claims = await findRow<SessionClaims>(
    executor,
    `INSERT INTO sessions (id, user_id, epoch, expires_at, address, user_agent)
     SELECT $2, id, coalesce($3, session_epoch), now() + $4 * interval '1 second', $5, $6
       FROM users WHERE id = $1 AND disabled_at IS NULL
     RETURNING user_id AS sub, id AS sid`,
    [userId, uuidv7(), epoch, sessionSeconds, client.address, client.userAgent],
  )
  await executor.query(
    `DELETE FROM sessions WHERE id IN (
       SELECT id FROM sessions WHERE user_id = $1 ORDER BY last_seen_at DESC, id DESC OFFSET $2)`,
    [userId, sessionsPerUser],
  )
  return claims
}

async function sessionOfPage(): Promise<string | null> {
  const { cookies } = await import('next/headers')
  return (await cookies()).get(cookieName('session'))?.value || null
}
