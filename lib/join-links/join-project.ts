import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { insertMember, requireAgreement } from '../access/projects/agreement'
import { updateMembership } from '../access/projects/membership'
import { readMeanings } from '../access/projects/submission-project'
import { hashPassword, withHashingLimit } from '../access/sessions/passwords'
import { requireStrongPassword } from '../access/sessions/strong-password'
import { handleTaken, reservedHandles } from '../access/users/users'
import { SlidingWindows } from '../async/sliding-windows'
import type { AgreedKind, ProjectKind } from '../contract/access/project-kinds'
import { conflict, type GpuqError, invalidField, notFound, rateLimited } from '../contract/errors'
import { database } from '../database/client'
import { findRow, type Transaction, transaction } from '../database/transaction'
import type { JoinedProject, JoinLinkState, joinSchema, joinWithAccountSchema } from './contract'
import { hashJoinToken, joinLinkSource, joinLinkState } from './join-links'

/** A join link as its holder may see it. */
export interface OpenedJoinLink {
  id: string
  state: JoinLinkState
  projectId: string
  slug: string
  name: string | null
  kind: ProjectKind
  owner: string
  managers: string[]
  newAccounts: boolean
}

/** Wrong links of one address per minute. A right one is always accepted, because a class may share an address. */
const wrongPerMinute = 60
/** New accounts that one address asks for per minute: more than a class needs. */
const accountsPerMinute = 150
/**
 * How often a link says that a user id is taken, besides once for each person: a holder of the link must not find out who has an
 * account. Somebody who uses this up has no more power than somebody who fills the link with accounts.
 */
const spareTakenAnswers = 20
const maxAddresses = 20_000

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & {
  gpuqJoins?: { wrong: SlidingWindows; accounts: SlidingWindows }
}
shared.gpuqJoins ??= {
  wrong: new SlidingWindows(60_000, maxAddresses),
  accounts: new SlidingWindows(60_000, maxAddresses),
}
const { wrong, accounts } = shared.gpuqJoins

/**
 * Opens a join link, also one that no longer works.
 * @param address of the client, for the rate limit
 * @throws 404 for an unknown link, 429 after many of them.
 */
export async function openJoinLink(token: string, address: string): Promise<OpenedJoinLink> {
  const link = await findRow<OpenedJoinLink>(
    database().pool,
    `SELECT l.id, ${joinLinkState} AS state, p.id AS "projectId", p.slug, p.name, p.kind, o.handle AS owner,
            ARRAY(SELECT u.handle FROM memberships m JOIN users u ON u.id = m.user_id
                   WHERE m.project_id = p.id AND m.role = 'manager' ORDER BY lower(u.handle)) AS managers,
            l.new_accounts AS "newAccounts"
       FROM ${joinLinkSource} JOIN users o ON o.id = p.owner_id WHERE l.hash = $1`,
    [hashJoinToken(token)],
  )
  if (link) return link
  const waitS = wrong.hit(address, wrongPerMinute, performance.now())
  if (waitS !== null) throw tooMany(waitS)
  throw notFound('This link is not valid: it is incomplete, or was deleted. Ask for a new one.')
}

const tooMany = (waitS: number) =>
  rateLimited(`There were too many requests from your address. Try again in ${waitS} seconds.`, waitS)

const refusals: Record<Exclude<JoinLinkState, 'open'>, string> = {
  full: 'This link is full: as many people have joined as it allows. Ask whoever sent it for a new one.',
  expired: 'This link has expired. Ask whoever sent it for a new one.',
  revoked: 'This link was revoked. Ask whoever sent it for a new one.',
}

/** Says why a link no longer works, and what to do. Null: it works. */
export function refusalOf(state: JoinLinkState): string | null {
  return state === 'open' ? null : refusals[state]
}

function requireOpen({ state }: OpenedJoinLink): void {
  const refusal = refusalOf(state)
  if (refusal !== null) throw conflict(refusal)
}

/**
 * Makes the actor a member, who agrees to the kind of the project. Somebody who belongs to the project already takes no place, and
 * agrees if the request says so: an import adds members who have not.
 * @param read reads the request; called only after it is clear that the link works
 * @throws 404, 409, 422 if the actor does not agree, or 429.
 */
export async function joinProject(
  actor: Actor,
  token: string,
  read: () => Promise<z.output<typeof joinSchema>>,
  address: string,
): Promise<JoinedProject> {
  const link = await openJoinLink(token, address)
  if (await belongs(actor.userId, link.projectId)) {
    const { agree_to } = await read()
    if (agree_to !== undefined) await updateMembership(actor, link.projectId, { agree_to })
  } else {
    requireOpen(link)
    const { agree_to } = await read()
    await transaction(async (tx) => {
      const agreed = await requireAgreement(tx, link.projectId, agree_to)
      await takePlace(tx, link)
      await addMember(tx, link, actor.userId, agreed)
    })
  }
  const meanings = await readMeanings(database().pool, actor.userId, [link.slug])
  return { project_id: link.slug, user_id: actor.handle, asks: meanings.get(link.slug)?.asks ?? false }
}

async function belongs(userId: string, projectId: string): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    `SELECT 1 FROM projects p WHERE p.id = $2 AND (p.owner_id = $1
        OR EXISTS (SELECT 1 FROM memberships m WHERE m.project_id = p.id AND m.user_id = $1))`,
    [userId, projectId],
  )
  return rowCount === 1
}

/**
 * Creates an account and makes it a member of the project. The account has no e-mail address, because nobody has checked it: an
 * external sign-in with the same address would get into the account.
 * @param read reads the request; called only after it is clear that the link works
 * @throws 404, 409 for a link that no longer works and a user id that is taken, 422 for a weak password, 429.
 */
export async function joinWithAccount(
  token: string,
  read: () => Promise<z.output<typeof joinWithAccountSchema>>,
  address: string,
): Promise<JoinedProject> {
  const link = await openJoinLink(token, address)
  requireOpen(link)
  if (!link.newAccounts) throw needsAccount()
  const { user_id: handle, name = null, password, agree_to } = await read()
  const waitS = accounts.hit(address, accountsPerMinute, performance.now())
  if (waitS !== null) throw tooMany(waitS)
  if (reservedHandles.has(handle.toLowerCase()))
    throw invalidField('user_id', `"${handle}" is reserved, choose another`)
  await requireStrongPassword('password', password, { handle, name, email: null })
  const hash = await withHashingLimit(() => hashPassword(password))
  const isNew = await transaction(async (tx) => {
    const agreed = await requireAgreement(tx, link.projectId, agree_to)
    await takePlace(tx, link)
    const id = uuidv7()
    const { rowCount } = await tx.query(
      `INSERT INTO users (id, handle, name, password_hash) SELECT $1::uuid, $2, $3, $4
        WHERE EXISTS (SELECT 1 FROM join_links WHERE id = $5 AND taken_answers < max_people + ${spareTakenAnswers})
       ON CONFLICT DO NOTHING`,
      [id, handle, name, hash, link.id],
    )
    if (rowCount !== 1) {
      // The link is locked, so that concurrent guesses are counted one after the other.
      await countTakenAnswer(tx, link)
      return false
    }
    const detail = { name, role: 'researcher', join_link: link.id }
    await recordAudit(tx, { actorId: id, action: 'user_created', target: handle, detail })
    await addMember(tx, link, id, agreed)
    return true
  })
  if (!isNew) throw handleTaken(handle)
  return { project_id: link.slug, user_id: handle, asks: false }
}

/**
 * Gives the place back and counts the answer.
 * @throws 409 if the link has given all its answers, the same for each user id
 */
async function countTakenAnswer(tx: Transaction, { id }: OpenedJoinLink): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE join_links SET joined = joined - 1, taken_answers = taken_answers + 1
      WHERE id = $1 AND taken_answers < max_people + ${spareTakenAnswers}`,
    [id],
  )
  if (rowCount !== 1)
    throw conflict(
      'This link creates no more accounts, because too many user ids that are taken were tried with it. Ask whoever sent it for a new one.',
    )
}

const needsAccount = (): GpuqError =>
  conflict('This link is for people who have an account. Sign in first, or ask an admin for an account.')

/**
 * Counts one more person. The row stays locked until the transaction ends, so people who join at the same moment are counted
 * one after the other. @throws 409 if the link no longer works.
 */
async function takePlace(tx: Transaction, link: OpenedJoinLink): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE join_links l SET joined = joined + 1 FROM projects p, users c
      WHERE l.id = $1 AND p.id = l.project_id AND c.id = l.created_by_id AND ${joinLinkState} = 'open'`,
    [link.id],
  )
  if (rowCount === 1) return
  const now = await findRow<{ state: JoinLinkState }>(
    tx,
    `SELECT ${joinLinkState} AS state FROM ${joinLinkSource} WHERE l.id = $1`,
    [link.id],
  )
  throw conflict(refusalOf(now?.state ?? 'revoked') ?? refusals.full)
}

/**
 * Adds somebody who reads the snapshots of the project, and may not push any: whoever has the link may be a stranger.
 * @throws 409 if a concurrent request added the user: the place is free again.
 */
async function addMember(
  tx: Transaction,
  link: OpenedJoinLink,
  userId: string,
  agreed: AgreedKind | null,
): Promise<void> {
  const { rowCount } = await insertMember(tx, { ...link, userId, mayPush: false, agreed })
  if (rowCount !== 1) throw conflict('You have joined this project already.')
  const target = `${link.owner}/${link.slug}`
  await recordAudit(tx, {
    actorId: userId,
    action: 'project_joined',
    target,
    detail: { join_link: link.id, agreed_to: agreed },
  })
}
