import { Batches } from '../async/batches'
import { unauthenticated } from '../contract/errors'
import { database } from '../database/client'
import type { Actor } from './actor'
import { limitsOf } from './limits'
import { isOfLocalOwner, localOwner } from './local-owner'
import { restrictionOf } from './restriction'
import { sessionUser } from './sessions/session'
import { hashToken } from './tokens/token-format'

export const invalidToken = () => unauthenticated('Invalid or expired token')

/** gpuq never issues shorter tokens, and longer ones do not fit into a header. */
const tokenLength = { min: 32, max: 8192 }

type TokenRow = Omit<Actor, 'via' | 'sessionId' | 'tokenId' | 'restriction'> &
  Parameters<typeof restrictionOf>[0] & { hash: Buffer; stale: boolean }

const maxLookups = 100

/** Tokens of requests that arrive during a query are found by the next one: a query for each is work for both programs. */
const tokens = new Batches<Buffer, TokenRow | null>(findTokens, maxLookups)

async function findTokens(
  hashes: readonly Buffer[],
): Promise<readonly PromiseSettledResult<TokenRow | null>[]> {
  const { rows } = await database().pool.query<TokenRow>({
    name: 'actors-from-tokens',
    text: `SELECT t.hash, t.id AS "tokenId", u.id AS "userId", u.handle, u.role, t.scopes, ${limitsOf('u')},
                  CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('id', p.id, 'slug', p.slug) END AS "classProject", t.limits AS "agentLimits",
                  t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute' AS stale
             FROM api_tokens t JOIN users u ON u.id = t.user_id LEFT JOIN projects p ON p.id = t.project_id
            WHERE t.hash = ANY ($1::bytea[]) AND t.revoked_at IS NULL AND u.disabled_at IS NULL
              AND (t.expires_at IS NULL OR t.expires_at > now())`,
    values: [hashes],
  })
  const byHash = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
  return hashes.map((hash) => ({ status: 'fulfilled', value: byHash.get(hash.toString('hex')) ?? null }))
}

/**
 * Returns the caller of a token, or null if the token is unknown, expired, revoked or its user is disabled. The
 * caller cannot tell these cases apart. Needs at most one query; stores the last use with a resolution of one minute.
 */
export async function actorFromToken(token: string): Promise<Actor | null> {
  if (token.length < tokenLength.min || token.length > tokenLength.max) return null
  const row = await tokens.add(hashToken(token))
  if (!row) return null
  const { hash: _, stale, classProject, agentLimits, ...known } = row
  if (stale) {
    await database().pool.query(
      `WITH seen AS (UPDATE users SET last_seen_at = now() WHERE id = $2)
       UPDATE api_tokens SET last_used_at = now() WHERE id = $1`,
      [known.tokenId, known.userId],
    )
  }
  const restriction = restrictionOf({ tokenId: known.tokenId, classProject, agentLimits })
  return { ...known, restriction, via: 'token', sessionId: null }
}

/**
 * Reads the token from `Authorization: Bearer` or `X-Auth-Token`.
 * @throws 401 if the two differ or the header is malformed.
 */
function tokenOfRequest(request: Request): string | null {
  const authorization = headerText(request, 'authorization')
  const bearer =
    authorization !== null && /^Bearer ./i.test(authorization) ? authorization.slice(7).trim() : null
  if (authorization !== null && bearer === null) {
    throw unauthenticated('The Authorization header must have the form "Bearer YOUR_TOKEN".')
  }
  const other = headerText(request, 'x-auth-token')
  if (bearer !== null && other !== null && bearer !== other) {
    throw unauthenticated('Authorization and X-Auth-Token contain different tokens. Send only one of them.')
  }
  return bearer ?? other
}

/** Decodes a header as UTF-8. HTTP passes its bytes as Latin-1, and an admin's first token may be any string. */
function headerText(request: Request, name: string): string | null {
  const value = request.headers.get(name)
  return value === null ? null : Buffer.from(value, 'latin1').toString('utf8')
}

/**
 * Authenticates a request by token or session. Returns null if it has neither.
 * @throws 401 for an invalid token, also beside a valid session.
 */
export async function authenticate(request: Request): Promise<Actor | null> {
  if (isOfLocalOwner(request)) return localOwner()
  const token = tokenOfRequest(request)
  if (token !== null) {
    const actor = await actorFromToken(token)
    if (!actor) throw invalidToken()
    return actor
  }
  return sessionUser(request)
}
