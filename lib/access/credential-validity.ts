import { database } from '../database/client'
import { findRow } from '../database/transaction'
import type { Actor } from './actor'
import { liveSession } from './sessions/session'

/** Checks whether the credential of an actor is still valid, as {@link renewActor}. */
export async function isCredentialValid(actor: Actor): Promise<boolean> {
  return (await renewActor(actor)) !== null
}

/**
 * Returns the actor with their present role; null if their credential is no longer valid: the user is disabled, the token was
 * revoked or has expired, or the session ended. For responses that last for hours.
 */
export async function renewActor(actor: Actor): Promise<Actor | null> {
  const { userId, tokenId, sessionId } = actor
  const row = await findRow<Pick<Actor, 'role'>>(database().pool, {
    name: 'renew-actor',
    text: `SELECT u.role FROM users u
            WHERE u.id = $1 AND u.disabled_at IS NULL
              AND ($2::uuid IS NULL OR EXISTS (
                SELECT 1 FROM api_tokens t WHERE t.id = $2 AND t.revoked_at IS NULL
                   AND (t.expires_at IS NULL OR t.expires_at > now())))
              AND ($3::uuid IS NULL OR EXISTS (
                SELECT 1 FROM sessions s WHERE s.id = $3 AND ${liveSession}))`,
    values: [userId, tokenId, sessionId],
  })
  return row && { ...actor, ...row }
}

/** A check that is repeated often asks the database once in this time. */
const checkEveryMs = 2_000

/** Returns a function that checks the credential of an actor. It reuses a valid result for {@link checkEveryMs}. */
export function cachedCredentialCheck(actor: Actor): () => Promise<boolean> {
  return cachedCheck(() => isCredentialValid(actor))
}

/** Reuses a valid result of a check that has just succeeded for {@link checkEveryMs}. */
export function cachedCheck(isValid: () => Promise<boolean>): () => Promise<boolean> {
  let checkedAt = performance.now()
  return async () => {
    if (performance.now() - checkedAt < checkEveryMs) return true
    checkedAt = performance.now()
    return isValid()
  }
}
