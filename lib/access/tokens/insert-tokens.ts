import { uuidv7 } from 'uuidv7'
import type { CreatedToken, Token } from '../../contract/access/access'
import type { AgentLimits } from '../../contract/access/restriction'
import type { Scope } from '../../contract/access/roles'
import { datesToText, type WithDates } from '../../database/dates'
import type { Transaction } from '../../database/transaction'
import { type Actor, isAdmin } from '../actor'
import { recordAudit } from '../audit'
import { requirePeople } from '../of-competition'
import { generateToken, hashToken, tokenHint } from './token-format'

/** A token with {@link tokenColumns}. */
export type TokenRow = Omit<
  WithDates<Token, 'created_at' | 'expires_at' | 'last_used_at' | 'revoked_at'>,
  'limits'
> & { limits: AgentLimits | null }

/** The token as the API has it. */
export function toToken({ limits, ...row }: TokenRow): Token {
  const projects = limits?.projects?.map(({ slug }) => slug) ?? null
  return { ...datesToText(row), limits: limits && { ...limits, projects } }
}

export const tokenColumns = `t.id AS token_id, u.handle AS user_id, u.name AS user_name, t.name, t.hint, t.scopes,
  CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('id', p.id, 'project_id', p.slug, 'owner', o.handle) END AS bound_to,
  t.limits, c.handle AS created_by, t.created_at, t.expires_at, t.last_used_at, t.revoked_at`

export const tokenSource = `api_tokens t JOIN users u ON u.id = t.user_id LEFT JOIN users c ON c.id = t.created_by_id
  LEFT JOIN projects p ON p.id = t.project_id LEFT JOIN users o ON o.id = p.owner_id`

/** SQL condition for a token that is neither revoked nor expired. */
export const liveToken = 't.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())'

/** Maximum live tokens of one user. Enough for every machine and script, and it limits the database's growth. */
export const liveTokenLimit = 200
/** Tokens of one user that are shown after they were revoked or expired, the latest. */
const endedTokenLimit = 200

/** Locks users in a fixed order, so that concurrent requests cannot exceed their limit together. */
export async function lockOwners(tx: Transaction, userIds: readonly string[]): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [userIds])
}

/**
 * Deletes the oldest ended tokens of users above the limit: a script may create and revoke tokens without end. What a token restricts
 * keeps it: its jobs and groups that have not ended, and its runs.
 */
export async function deleteEndedTokens(tx: Transaction, userIds: readonly string[]): Promise<void> {
  await tx.query(
    `DELETE FROM api_tokens WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY least(revoked_at, expires_at) DESC, id DESC) AS place
           FROM api_tokens WHERE user_id = ANY ($1::uuid[]) AND (revoked_at IS NOT NULL OR expires_at <= now())) ended
        WHERE place > $2)
        AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.token_id = api_tokens.id)
        AND NOT EXISTS (SELECT 1 FROM job_groups g WHERE g.token_id = api_tokens.id AND g.ended_at IS NULL)
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.token_id = api_tokens.id AND j.status IN ('pending', 'scheduled', 'running'))`,
    [userIds, endedTokenLimit],
  )
}

export interface NewToken {
  owner: { id: string; handle: string }
  name: string
  scopes: readonly Scope[]
  /** Null: no expiry. */
  expiresInDays: number | null
  /** The id of the class to which it is bound. */
  classId: string | null
  /** The limits of the token of an agent; null: it is not for one. */
  limits: AgentLimits | null
}

/**
 * Inserts tokens, which only this result contains, and records each. One that a token makes does not outlive it, except an admin's.
 * @returns the tokens in the given order
 * @throws 409 for the account of a competition
 */
export async function insertTokens(
  tx: Transaction,
  actor: Actor,
  tokens: readonly NewToken[],
): Promise<CreatedToken[]> {
  await requirePeople(
    tx,
    tokens.map(({ owner }) => owner.id),
  )
  const made = tokens.map((given) => ({ ...given, id: uuidv7(), token: generateToken() }))
  await tx.query(
    `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, created_by_id, project_id, limits, expires_at)
     SELECT n.id, n.user_id, n.name, n.hash, n.hint, string_to_array(n.scopes, ' '), $7, n.project_id, n.limits,
            least(now() + n.days * interval '1 day', (SELECT expires_at FROM api_tokens WHERE id = $8))
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::text[], $9::float8[], $10::uuid[], $11::jsonb[])
         AS n (id, user_id, name, hash, hint, scopes, days, project_id, limits)`,
    [
      made.map(({ id }) => id),
      made.map(({ owner }) => owner.id),
      made.map(({ name }) => name),
      made.map(({ token }) => hashToken(token)),
      made.map(({ token }) => tokenHint(token)),
      made.map(({ scopes }) => scopes.join(' ')),
      actor.userId,
      isAdmin(actor) ? null : actor.tokenId,
      made.map(({ expiresInDays }) => expiresInDays),
      made.map(({ classId }) => classId),
      made.map(({ limits }) => limits && JSON.stringify(limits)),
    ],
  )
  const { rows } = await tx.query<TokenRow>(
    `SELECT ${tokenColumns} FROM ${tokenSource} WHERE t.id = ANY ($1::uuid[]) ORDER BY array_position($1::uuid[], t.id)`,
    [made.map(({ id }) => id)],
  )
  const created = rows.map((row, index) => ({ ...toToken(row), token: made[index]?.token ?? '' }))
  for (const { token_id, user_id: target, name, scopes, expires_at, bound_to, limits } of created) {
    const only = bound_to && { class: `${bound_to.owner}/${bound_to.project_id}` }
    const detail = { token_id, name, scopes, expires_at, ...only, ...(limits && { limits }) }
    await recordAudit(tx, { actorId: actor.userId, action: 'token_created', target, detail })
  }
  return created
}
