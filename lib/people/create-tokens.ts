import type { z } from 'zod'
import { type Actor, isAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { findManagedClass } from '../access/projects/managed-class'
import type { ProjectRow } from '../access/projects/project-rows'
import { deleteEndedTokens, insertTokens, liveToken, liveTokenLimit } from '../access/tokens/insert-tokens'
import { requireOwnScopes } from '../access/tokens/tokens'
import { maxBatchUsers } from '../contract/access/request-sizes'
import { configYaml } from '../contract/config/first-config'
import { type FieldError, forbidden, GpuqError, invalidField } from '../contract/errors'
import { type Transaction, transaction } from '../database/transaction'
import type { CreatedTokens, createTokensSchema } from './contract-token-batches'
import { readUserLines, type UserLine } from './read-user-lines'

type Input = z.output<typeof createTokensSchema>

const scopes = ['submit', 'read'] as const

/** Maximum live tokens of one member for one class, so that a manager cannot use up the tokens that the member may have. */
const liveTokensPerClass = 10

/**
 * Creates a token with a config for each user of a list: an admin for anybody, a manager of a class for its members who agreed, and
 * then only for this class. If a line is wrong, nothing is created.
 * @throws 422 with the wrong lines, 403 for somebody else than a manager of the class or an admin.
 */
export async function createTokens(actor: Actor, input: Input): Promise<CreatedTokens> {
  requireOwnScopes(actor, scopes)
  return transaction(async (tx) => {
    const project = await findClass(tx, actor, input)
    const slug = project?.slug ?? input.project_id
    if (slug === undefined)
      throw invalidField('project_id', 'name the project of the configs, or send class_id')
    const given = readUserLines(input.users)
    requireFewUsers(given.users.length)
    const found = await findUsers(tx, given.users, project)
    const ids = found.map(({ id }) => id)
    await deleteEndedTokens(tx, ids)
    if (input.replace) await revokeClassTokens(tx, actor, project, ids)
    const counts = await countTokens(tx, ids, project)
    const checked = given.users.map((line) => checkLine(line, { actor, project, found, counts }))
    const problems = [...given.problems, ...checked.flatMap(({ problem }) => problem ?? [])]
    const users = checked.flatMap(({ user }) => user ?? [])
    requireNoProblems(problems.concat(findRepeated(checked)))
    const { name = slug, expires_in_days: expiresInDays, competition_id: competition = slug } = input
    const classId = project?.id ?? null
    const tokens = await insertTokens(
      tx,
      actor,
      users.map((owner) => ({ owner, name, scopes, expiresInDays, classId, limits: null })),
    )
    return {
      project_id: slug,
      tokens: tokens.map((made) => {
        const { user_id: handle, token } = made
        return { ...made, config: configYaml({ handle, token, project: slug, competition }) }
      }),
    }
  })
}

/** The class of the tokens; null: an admin makes tokens that are not bound. */
async function findClass(
  tx: Transaction,
  actor: Actor,
  { class_id: id, project_id: slug, replace }: Input,
): Promise<ProjectRow | null> {
  if (id === undefined) {
    if (!isAdmin(actor))
      throw forbidden('Only admins may create tokens that are not bound to a class. Send class_id.')
    if (replace) throw invalidField('replace', 'is only for tokens of a class: remove it, or send class_id')
    return null
  }
  const project = await findManagedClass(tx, actor, id)
  if (slug !== undefined)
    throw invalidField('project_id', `the configs have the name of the class, "${project.slug}": remove it`)
  return project
}

interface FoundUser {
  id: string
  handle: string
  email: string | null
  disabled: boolean
  /** Whether the user agreed that the managers of the class see their jobs. */
  agreed: boolean
}

/**
 * Finds the users of the lines, of a class only its members. Locks them and their memberships, so that concurrent requests cannot
 * exceed the limits together, and nobody leaves the class meanwhile.
 */
async function findUsers(
  tx: Transaction,
  lines: readonly UserLine[],
  project: ProjectRow | null,
): Promise<FoundUser[]> {
  const lower = (values: (string | undefined)[]) => values.flatMap((value) => value?.toLowerCase() ?? [])
  const [agreed, join, lock] =
    project === null
      ? ['false', '', '']
      : [
          'm.agreed_at IS NOT NULL',
          'JOIN memberships m ON m.user_id = u.id AND m.project_id = $3',
          'FOR SHARE OF m',
        ]
  const { rows } = await tx.query<FoundUser>(
    `SELECT u.id, u.handle, u.email, u.disabled_at IS NOT NULL AS disabled, ${agreed} AS agreed
       FROM users u ${join} WHERE lower(u.handle) = ANY ($1::text[]) OR lower(u.email) = ANY ($2::text[])
      ORDER BY u.id FOR NO KEY UPDATE OF u ${lock}`,
    [
      lower(lines.map(({ userId }) => userId)),
      lower(lines.map(({ email }) => email)),
      ...(project === null ? [] : [project.id]),
    ],
  )
  return rows
}

interface TokenCounts {
  all: number
  ofClass: number
}

/** Counts the live tokens of users. */
async function countTokens(
  tx: Transaction,
  userIds: readonly string[],
  project: ProjectRow | null,
): Promise<ReadonlyMap<string, TokenCounts>> {
  const { rows } = await tx.query<TokenCounts & { id: string }>(
    `SELECT t.user_id AS id, count(*)::int AS all, (count(*) FILTER (WHERE t.project_id = $2))::int AS "ofClass"
       FROM api_tokens t WHERE t.user_id = ANY ($1::uuid[]) AND ${liveToken} GROUP BY t.user_id`,
    [userIds, project?.id ?? null],
  )
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

interface Known {
  actor: Actor
  project: ProjectRow | null
  found: readonly FoundUser[]
  counts: ReadonlyMap<string, TokenCounts>
}

type Problem = Pick<FieldError, 'message'> & { line: number }
interface CheckedLine {
  line: number
  user?: FoundUser
  problem?: Problem
}

/** Finds the user of a line, and why no token can be made for them. */
function checkLine({ line, userId, email }: UserLine, { actor, project, found, counts }: Known): CheckedLine {
  const wrong = (message: string): CheckedLine => ({ line, problem: { line, message } })
  const isSame = (one: string | null, other: string | undefined) =>
    other !== undefined && one?.toLowerCase() === other.toLowerCase()
  const user = found.find(({ handle, email: known }) =>
    userId === undefined ? isSame(known, email) : isSame(handle, userId),
  )
  const shown = (userId ?? email ?? '').slice(0, 60)
  if (!user) {
    if (project === null) return wrong(`There is no user “${shown}”.`)
    if (isSame(project.owner, userId))
      return wrong(`${project.owner} owns the class, and is no member of it.`)
    return wrong(`“${shown}” is no member of the class ${project.slug}. Members join first.`)
  }
  const { handle, disabled, agreed } = user
  if (userId !== undefined && email !== undefined && !isSame(user.email, email))
    return wrong(`The user ${handle} has another e-mail address than “${email.slice(0, 60)}”.`)
  if (disabled) return wrong(`The user ${handle} is disabled.`)
  if (project !== null && !agreed && !isAdmin(actor))
    return wrong(
      `${handle} has not agreed yet that you see their jobs. They agree on the page of the project.`,
    )
  const { all = 0, ofClass = 0 } = counts.get(user.id) ?? {}
  if (ofClass >= liveTokensPerClass)
    return wrong(`${handle} has ${ofClass} tokens for this class already. Replace the earlier ones.`)
  if (all >= liveTokenLimit) return wrong(`${handle} has ${all} live tokens, which is the limit.`)
  return { line, user }
}

function findRepeated(lines: readonly CheckedLine[]): Problem[] {
  const first = new Map<string, number>()
  return lines.flatMap(({ line, user }) => {
    if (!user) return []
    const known = first.get(user.id)
    if (known !== undefined)
      return [{ line, message: `The user ${user.handle} is in line ${known} already.` }]
    first.set(user.id, line)
    return []
  })
}

function requireFewUsers(users: number): void {
  if (users > maxBatchUsers)
    throw invalidField('users', `has ${users} users, and ${maxBatchUsers} are the limit: divide the list`)
  if (users === 0) throw invalidField('users', 'is empty: write a user id or an e-mail address in each line')
}

/** @throws 422 that names every wrong line. */
function requireNoProblems(problems: readonly Problem[]): void {
  const sorted = problems.toSorted((one, other) => one.line - other.line)
  const [first] = sorted
  if (!first) return
  const more = sorted.length > 1 ? ` (and ${sorted.length - 1} more)` : ''
  const message = `No token was created. Line ${first.line}: ${first.message}${more}`
  throw new GpuqError('invalid_fields', message, {
    errors: sorted.map(({ line, message }) => ({ path: 'users', message, line })),
  })
}

/** Ends the earlier tokens of users for a class. */
async function revokeClassTokens(
  tx: Transaction,
  actor: Actor,
  project: ProjectRow | null,
  userIds: readonly string[],
): Promise<void> {
  const { rows } = await tx.query<{ id: string; name: string; handle: string }>(
    `UPDATE api_tokens t SET revoked_at = now() FROM users u
      WHERE u.id = t.user_id AND t.project_id = $1 AND t.user_id = ANY ($2::uuid[]) AND ${liveToken}
      RETURNING t.id, t.name, u.handle`,
    [project?.id ?? null, userIds],
  )
  for (const { id: token_id, name, handle: target } of rows) {
    const detail = { token_id, name, replaced: true }
    await recordAudit(tx, { actorId: actor.userId, action: 'token_revoked', target, detail })
  }
}
