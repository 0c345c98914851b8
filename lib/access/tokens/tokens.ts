import { z } from 'zod'
import type { CreatedToken, createTokenSchema, listTokensSchema, Token } from '../../contract/access/access'
import type { AgentLimits, AgentLimitsInput } from '../../contract/access/restriction'
import type { Scope } from '../../contract/access/roles'
import { conflict, forbidden, invalidField, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { findRow, oneRow, type Transaction, transaction } from '../../database/transaction'
import { type Actor, isAdmin, requireAdmin } from '../actor'
import { recordAudit } from '../audit'
import { findEnvironment } from '../environments'
import { findProject } from '../projects/submission-project'
import { findUser, type UserRow } from '../users/user-rows'
import {
  deleteEndedTokens,
  insertTokens,
  liveToken,
  liveTokenLimit,
  lockOwners,
  type TokenRow,
  tokenColumns,
  tokenSource,
  toToken,
} from './insert-tokens'

/** Lists the actor's own tokens, or for an admin those of another user or of all, the latest first. */
export async function listTokens(
  actor: Actor,
  query: z.output<typeof listTokensSchema>,
): Promise<Page<Token>> {
  const owner = query.all ? null : await ownerOf(actor, query.user_id)
  if (query.all) requireAdmin(actor)
  const after = decodeTimeCursor(query.cursor)
  const { rows } = await database().pool.query<TokenRow>(
    `SELECT ${tokenColumns} FROM ${tokenSource}
      WHERE ($1::uuid IS NULL OR t.user_id = $1)
        AND ($2::timestamptz IS NULL OR (t.created_at, t.id) < ($2, $3::uuid))
      ORDER BY t.created_at DESC, t.id DESC LIMIT $4`,
    [owner?.id ?? null, after.at, after.id, query.limit + 1],
  )
  return cutPage(rows, query.limit, (row) => [row.created_at.toISOString(), row.token_id], toToken)
}

/** Returns the user whose tokens are requested: the actor, or for an admin the named user. */
async function ownerOf(actor: Actor, handle: string = actor.handle): Promise<UserRow> {
  if (handle.toLowerCase() !== actor.handle.toLowerCase()) requireAdmin(actor)
  return findUser(database().pool, handle)
}

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
  if (input.limits && scopes.includes('admin'))
    throw invalidField('scopes', 'a token for an agent has no scope "admin": leave it out')
  return transaction(async (tx) => {
    await requireTokenQuota(tx, owner)
    const { name, expires_in_days: expiresInDays } = input
    const limits = input.limits ? await resolveLimits(tx, owner, input.limits) : null
    const token = { owner, name, scopes, expiresInDays, classId: null, limits }
    const [created] = await insertTokens(tx, actor, [token])
    if (!created) throw new Error('The token was not inserted.')
    return created
  })
}

/** Finds the projects and environments that limits name. @throws 422 for one that the owner of the token does not have. */
async function resolveLimits(
  tx: Transaction,
  owner: UserRow,
  { projects: slugs, ...limits }: AgentLimitsInput,
): Promise<AgentLimits> {
  for (const name of limits.environments ?? []) await findEnvironment(name, tx)
  if (slugs === null) return { ...limits, projects: null }
  const projects: { id: string; slug: string }[] = []
  for (const slug of slugs) {
    const found = await findProject(tx, { userId: owner.id, restriction: null }, slug)
    if (!found) throw invalidField('limits.projects', `"${owner.handle}" has no project "${slug}"`)
    projects.push({ id: found.id, slug })
  }
  return { ...limits, projects }
}

function requireGrantable(actor: Actor, owner: UserRow, scopes: Scope[]): void {
  if (owner.disabled) throw invalidField('user_id', `"${owner.handle}" is disabled`)
  if (scopes.includes('admin') && owner.role !== 'admin') {
    if (!isAdmin(actor))
      throw forbidden('Only admins may create a token with the scope "admin". Leave it out.')
    throw invalidField('scopes', `"${owner.handle}" is not an admin: leave out the scope "admin"`)
  }
  requireOwnScopes(actor, scopes)
}

/** @throws 403 for a scope that the actor's own token lacks. */
export function requireOwnScopes(actor: Actor, scopes: readonly Scope[]): void {
  if (actor.via === 'session' || isAdmin(actor)) return
  const lacking = scopes.find((scope) => !actor.scopes.includes(scope))
  if (lacking === undefined) return
  throw forbidden(
    `This token lacks the scope "${lacking}" and cannot create a token that has it. Leave the scope out, or sign in to create the token.`,
  )
}

async function requireTokenQuota(tx: Transaction, owner: UserRow): Promise<void> {
  await lockOwners(tx, [owner.id])
  await deleteEndedTokens(tx, [owner.id])
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    `SELECT count(*) >= $2 AS full FROM api_tokens t WHERE t.user_id = $1 AND ${liveToken}`,
    [owner.id, liveTokenLimit],
  )
  if (!full) return
  throw conflict(`"${owner.handle}" already has ${liveTokenLimit} live tokens. Revoke some of them first.`)
}

/** Revokes one of the actor's own tokens, or for an admin any token. Repeating it changes nothing. */
export function revokeToken(actor: Actor, tokenId: string): Promise<void> {
  return transaction((tx) => revokeIn(tx, actor, tokenId))
}

/** The same as part of a transaction. */
export async function revokeIn(tx: Transaction, actor: Actor, tokenId: string): Promise<void> {
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
}
