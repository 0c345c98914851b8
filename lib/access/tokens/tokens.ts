import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { CreatedToken, createTokenSchema, listTokensSchema, Token } from '../../contract/access/access'
import type { Scope } from '../../contract/access/roles'
import { conflict, forbidden, invalidField, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { findRow, oneRow, type Transaction, transaction } from '../../database/transaction'
import { type Actor, isAdmin, requireAdmin } from '../actor'
import { recordAudit } from '../audit'
import { findUser, type UserRow } from '../users/user-rows'
import { generateToken, hashToken, tokenHint } from './token-format'

type TokenRow = WithDates<Token, 'created_at' | 'expires_at' | 'last_used_at' | 'revoked_at'>

const columns = `t.id AS token_id, u.handle AS user_id, u.name AS user_name, t.name, t.hint, t.scopes, c.handle AS created_by,
  t.created_at, t.expires_at, t.last_used_at, t.revoked_at`
const owners = 'JOIN users u ON u.id = t.user_id LEFT JOIN users c ON c.id = t.created_by_id'

/** Lists the actor's own tokens, or for an admin those of another user or of all, the latest first. */
export async function listTokens(
  actor: Actor,
  query: z.output<typeof listTokensSchema>,
): Promise<Page<Token>> {
  const owner = query.all ? null : await ownerOf(actor, query.user_id)
  if (query.all) requireAdmin(actor)
  const after = decodeTimeCursor(query.cursor)
  const { rows } = await database().pool.query<TokenRow>(
    `SELECT ${columns} FROM api_tokens t ${owners}
      WHERE ($1::uuid IS NULL OR t.user_id = $1)
        AND ($2::timestamptz IS NULL OR (t.created_at, t.id) < ($2, $3::uuid))
      ORDER BY t.created_at DESC, t.id DESC LIMIT $4`,
    [owner?.id ?? null, after.at, after.id, query.limit + 1],
  )
  return cutPage(rows, query.limit, (row) => [row.created_at.toISOString(), row.token_id], datesToText)
}

/** Returns the user whose tokens are requested: the actor, or for an admin the named user. */
async function ownerOf(actor: Actor, handle: string = actor.handle): Promise<UserRow> {
  if (handle.toLowerCase() !== actor.handle.toLowerCase()) requireAdmin(actor)
  return findUser(database().pool, handle)
}

/** Maximum live tokens of one user. Enough for every machine and script, and it limits the database's growth. */
const liveTokenLimit = 200
/** Tokens of one user that are shown after they were revoked or expired, the latest. */
const endedTokenLimit = 200

/**
 * Creates a token, which only this response contains. A token cannot create one with more scopes or a later expiry
 * than its own.
 */
export async function createToken(
  actor: Actor,
  input: z.output<typeof createTokenSchema>,
): Promise<CreatedToken> {
  const owner = await ownerOf(actor, input.user_id)
  const scopes = [...new Set(input.scopes)]
  requireGrantable(actor, owner, scopes)
  const token = generateToken()
  return transaction(async (tx) => {
    await requireTokenQuota(tx, owner)
    const id = uuidv7()
    await tx.query(
      `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, created_by_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, least(now() + $8 * interval '1 day',
         (SELECT expires_at FROM api_tokens WHERE id = $9)))`,
      [
        id,
        owner.id,
        input.name,
        hashToken(token),
        tokenHint(token),
        scopes,
        actor.userId,
        input.expires_in_days,
        isAdmin(actor) ? null : actor.tokenId,
      ],
    )
    const select = `SELECT ${columns} FROM api_tokens t ${owners} WHERE t.id = $1`
    const created = datesToText(await oneRow<TokenRow>(tx, select, [id]))
    const { token_id, name, expires_at } = created
    const detail = { token_id, name, scopes, expires_at }
    await recordAudit(tx, { actorId: actor.userId, action: 'token_created', target: owner.handle, detail })
    return { ...created, token }
  })
}

function requireGrantable(actor: Actor, owner: UserRow, scopes: Scope[]): void {
  if (owner.disabled) throw invalidField('user_id', `"${owner.handle}" is disabled`)
  if (scopes.includes('admin') && owner.role !== 'admin') {
    if (!isAdmin(actor))
      throw forbidden('Only admins may create a token with the scope "admin". Leave it out.')
    throw invalidField('scopes', `"${owner.handle}" is not an admin: leave out the scope "admin"`)
  }
  if (actor.via === 'session' || isAdmin(actor)) return
  const lacking = scopes.find((scope) => !actor.scopes.includes(scope))
  if (lacking === undefined) return
  throw forbidden(
    `This token lacks the scope "${lacking}" and cannot create a token that has it. Leave the scope out, or sign in to create the token.`,
  )
}

/** Also deletes what is left of the oldest ended ones: a script may create and revoke tokens without end. */
async function requireTokenQuota(tx: Transaction, owner: UserRow): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [owner.id])
  await tx.query(
    `DELETE FROM api_tokens WHERE id IN (
       SELECT id FROM api_tokens WHERE user_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= now())
        ORDER BY least(revoked_at, expires_at) DESC, id DESC OFFSET $2)`,
    [owner.id, endedTokenLimit],
  )
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    `SELECT count(*) >= $2 AS full FROM api_tokens
      WHERE user_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [owner.id, liveTokenLimit],
  )
  if (!full) return
  throw conflict(`"${owner.handle}" already has ${liveTokenLimit} live tokens. Revoke some of them first.`)
}

/** Revokes one of the actor's own tokens, or for an admin any token. Repeating it changes nothing. */
export function revokeToken(actor: Actor, tokenId: string): Promise<void> {
  return transaction(async (tx) => {
    const token = z.uuid().safeParse(tokenId).success
      ? await findRow<{ name: string; owner: string; revoked: boolean }>(
          tx,
          `SELECT t.name, u.handle AS owner, t.revoked_at IS NOT NULL AS revoked
             FROM api_tokens t JOIN users u ON u.id = t.user_id
            WHERE t.id = $1 AND ($2 OR t.user_id = $3) FOR UPDATE OF t`,
          [tokenId, isAdmin(actor), actor.userId],
        )
      : null
    if (!token) throw notFound('There is no such token. GET /api/tokens lists your tokens.')
    if (token.revoked) return
    await tx.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [tokenId])
    const detail = { token_id: tokenId, name: token.name }
    await recordAudit(tx, { actorId: actor.userId, action: 'token_revoked', target: token.owner, detail })
  })
}
