import { z } from 'zod'
import type { Session } from '../../contract/access/access'
import { notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { findRow, transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { recordAudit } from '../audit'
import { liveSession } from './session'
import type { SessionClaims } from './session-cookie'

type SessionRow = WithDates<Session, 'created_at' | 'last_seen_at' | 'expires_at'>

/** Lists the actor's sessions, the last used first. */
export async function listSessions(actor: Actor): Promise<Session[]> {
  const { rows } = await database().pool.query<SessionRow>(
    `SELECT s.id AS session_id, coalesce(s.id = $2, false) AS current, s.address, s.user_agent,
            s.created_at, s.last_seen_at, s.expires_at
       FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.user_id = $1 AND ${liveSession} ORDER BY s.last_seen_at DESC, s.id DESC`,
    [actor.userId, actor.sessionId],
  )
  return rows.map(datesToText)
}

/** Ends one of the actor's sessions. @throws 404 if the actor has no such session. */
export function endSession(actor: Actor, sessionId: string): Promise<void> {
  return transaction(async (tx) => {
    const ended = z.uuid().safeParse(sessionId).success
      ? await findRow<{ id: string }>(
          tx,
          'DELETE FROM sessions WHERE id = $1 AND user_id = $2 RETURNING id',
          [sessionId, actor.userId],
        )
      : null
    if (!ended) {
      throw notFound('There is no such session. GET /api/sessions lists your sessions.')
    }
    const detail = { session_id: sessionId }
    await recordAudit(tx, { actorId: actor.userId, action: 'session_ended', target: actor.handle, detail })
  })
}

/** Ends all sessions of the actor, or all but the calling one. */
export function endSessions(actor: Actor, { keepCurrent }: { keepCurrent: boolean }): Promise<void> {
  const kept = keepCurrent ? actor.sessionId : null
  return transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'DELETE FROM sessions WHERE user_id = $1 AND ($2::uuid IS NULL OR id <> $2)',
      [actor.userId, kept],
    )
    if (rowCount === 0) return
    const detail = { sessions: rowCount }
    await recordAudit(tx, { actorId: actor.userId, action: 'sessions_ended', target: actor.handle, detail })
  })
}

/** Ends the session of a cookie at sign-out. A session that has already ended changes nothing. */
export function signOutSession({ sub, sid }: SessionClaims): Promise<void> {
  return transaction(async (tx) => {
    const user = await findRow<{ handle: string }>(
      tx,
      `DELETE FROM sessions s USING users u
        WHERE s.id = $1 AND s.user_id = $2 AND u.id = s.user_id RETURNING u.handle`,
      [sid, sub],
    )
    if (user) await recordAudit(tx, { actorId: sub, action: 'sign_out', target: user.handle })
  })
}

/** Deletes sessions that have expired or ended with their user's epoch. */
export async function deleteEndedSessions(): Promise<void> {
  await database().pool.query(
    `DELETE FROM sessions s USING users u WHERE u.id = s.user_id AND NOT (${liveSession})`,
  )
}
