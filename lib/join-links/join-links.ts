import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { requireNoCompetition } from '../access/of-competition'
import { requireManagesMembers } from '../access/projects/project-managers'
import type { ProjectRow } from '../access/projects/project-rows'
import { findVisible } from '../access/projects/projects'
import { conflict, notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { oneRow, type Transaction, transaction } from '../database/transaction'
import type { CreatedJoinLink, createJoinLinkSchema, JoinLink } from './contract'

type JoinLinkRow = WithDates<JoinLink, 'created_at' | 'expires_at'>

/** Only the hash of a token is stored. A token has 256 random bits, so a fast hash is sufficient. */
export const hashJoinToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/**
 * SQL for the state of a link `l` of the project `p`, made by the user `c`. A link ends with the right of its creator to make
 * it.
 */
export const joinLinkState = `CASE
  WHEN l.revoked_at IS NOT NULL OR c.disabled_at IS NOT NULL
    OR NOT (c.role = 'admin' OR (NOT l.new_accounts AND (p.owner_id = c.id OR EXISTS (
              SELECT 1 FROM memberships m WHERE m.project_id = p.id AND m.user_id = c.id AND m.role = 'manager'))))
    THEN 'revoked'
  WHEN l.expires_at <= now() THEN 'expired'
  WHEN l.joined >= l.max_people THEN 'full'
  ELSE 'open' END`

export const joinLinkSource =
  'join_links l JOIN projects p ON p.id = l.project_id JOIN users c ON c.id = l.created_by_id'

const columns = `l.id, ${joinLinkState} AS state, l.max_people, l.joined, l.new_accounts, c.handle AS created_by,
  l.created_at, l.expires_at`

/** Links of one project that have not been deleted. Enough for its groups, and it limits the database's growth. */
const linksPerProject = 50
/** Links of one project that are shown after they were revoked or expired, the latest. */
const endedLinksPerProject = 50

async function findManaged(executor: Transaction, actor: Actor, projectId: string): Promise<ProjectRow> {
  const project = await findVisible(executor, actor, projectId)
  requireManagesMembers(actor, project)
  return project
}

/** Lists the join links of a project, the latest first. @throws 404, or 403 for a member who does not manage it. */
export async function listJoinLinks(actor: Actor, projectId: string): Promise<JoinLink[]> {
  const { id } = await findManaged(database().pool, actor, projectId)
  const { rows } = await database().pool.query<JoinLinkRow>(
    `SELECT ${columns} FROM ${joinLinkSource} WHERE l.project_id = $1 ORDER BY l.created_at DESC, l.id DESC`,
    [id],
  )
  return rows.map(datesToText)
}

/**
 * Creates a link with which people join a project. Its address is only in this response.
 * @param origin the address at which the caller reached gpuq
 * @throws 403 if somebody who is no admin allows new accounts; 409 if the project has too many links, or belongs to a competition.
 */
export function createJoinLink(
  actor: Actor,
  projectId: string,
  { max_people, expires_in_days, new_accounts }: z.output<typeof createJoinLinkSchema>,
  origin: string,
): Promise<CreatedJoinLink> {
  if (new_accounts) requireAdmin(actor)
  const token = randomBytes(32).toString('base64url')
  return transaction(async (tx) => {
    const project = await findManaged(tx, actor, projectId)
    await requireNoCompetition(tx, project.id, 'Only its hosts are members: change them in competition.yaml.')
    // Links that are created at the same moment are counted one after the other.
    await tx.query('SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE', [project.id])
    // A script may create and revoke links without end.
    await tx.query(
      `DELETE FROM join_links WHERE id IN (
         SELECT id FROM join_links WHERE project_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= now())
          ORDER BY least(revoked_at, expires_at) DESC, id DESC OFFSET ${endedLinksPerProject})`,
      [project.id],
    )
    const id = uuidv7()
    const { rowCount } = await tx.query(
      `INSERT INTO join_links (id, project_id, hash, created_by_id, max_people, new_accounts, expires_at)
       SELECT $1::uuid, $2::uuid, $3::bytea, $4::uuid, $5::int, $6::boolean, now() + $7::int * interval '1 day'
        WHERE (SELECT count(*) FROM join_links WHERE project_id = $2::uuid AND revoked_at IS NULL AND expires_at > now()) < ${linksPerProject}`,
      [id, project.id, hashJoinToken(token), actor.userId, max_people, new_accounts, expires_in_days],
    )
    if (rowCount === 0)
      throw conflict(
        `The project has ${linksPerProject} join links, which is the limit. Revoke one of them first.`,
      )
    const detail = { link: id, max_people, expires_in_days, new_accounts }
    const target = `${project.owner}/${project.slug}`
    await recordAudit(tx, { actorId: actor.userId, action: 'join_link_created', target, detail })
    const link = await oneRow<JoinLinkRow>(tx, `SELECT ${columns} FROM ${joinLinkSource} WHERE l.id = $1`, [
      id,
    ])
    return { ...datesToText(link), url: `${origin}/join/${token}` }
  })
}

/** Revokes a join link. Users who joined stay members. @throws 404 if the project has no such link. */
export async function revokeJoinLink(actor: Actor, projectId: string, linkId: string): Promise<void> {
  await transaction(async (tx) => {
    const project = await findManaged(tx, actor, projectId)
    const { rowCount } = z.uuid().safeParse(linkId).success
      ? await tx.query(
          'UPDATE join_links SET revoked_at = coalesce(revoked_at, now()) WHERE project_id = $1 AND id = $2',
          [project.id, linkId],
        )
      : { rowCount: 0 }
    if (rowCount === 0) throw notFound('The project has no such join link.')
    const target = `${project.owner}/${project.slug}`
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'join_link_revoked',
      target,
      detail: { link: linkId },
    })
  })
}
