import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import type { ProjectRow } from '../access/projects/project-rows'
import { conflict, invalidField, notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { oneRow, type Transaction, transaction } from '../database/transaction'
import { hashShareToken } from '../shares/shares'
import type { CreatedResultShare, CreateResultShare, ResultShare } from './contract'

type ShareRow = WithDates<ResultShare, 'created_at' | 'expires_at'>

/** Links of one user. Enough for the tables that they show to others, and it limits the database's growth. */
const maxShares = 50

/** SQL of the jobs that the link `s` shows: those of its creator in its project that still exist. */
export const sharedJobs =
  'j.id = ANY (s.job_ids) AND j.user_id = s.created_by_id AND j.project_id = s.project_id'

const selectShare = `
  SELECT s.id, p.slug AS project_id, s.title, (SELECT count(*)::int FROM jobs j WHERE ${sharedJobs}) AS jobs,
         s.columns, s.metrics, s.group_by, s.created_at, s.expires_at
    FROM result_shares s JOIN projects p ON p.id = s.project_id`

/** Lists the actor's links to results that have not expired, the latest first. */
export async function listResultShares({ userId }: Actor): Promise<ResultShare[]> {
  const { rows } = await database().pool.query<ShareRow>(
    `${selectShare} WHERE s.created_by_id = $1 AND s.expires_at > now() ORDER BY s.created_at DESC, s.id DESC`,
    [userId],
  )
  return rows.map(datesToText)
}

/**
 * Creates a link to a page that shows chosen jobs of the actor without signing in. Its address is only in this response.
 * @param project one that the actor may see
 * @param origin the address at which the caller reached gpuq
 * @throws 422 for a job that is not theirs, 409 if they have too many links.
 */
export function createResultShare(
  actor: Actor,
  project: Pick<ProjectRow, 'id' | 'owner' | 'slug'>,
  given: CreateResultShare,
  origin: string,
): Promise<CreatedResultShare> {
  const token = randomBytes(32).toString('base64url')
  const id = uuidv7()
  const jobIds = [...new Set(given.job_ids)]
  const { title = null, columns, metrics, group_by, expires_in_days } = given
  return transaction(async (tx) => {
    await requireOwnJobs(tx, actor, project.id, jobIds)
    // Links that are created at the same moment are counted one after the other.
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.userId])
    await tx.query('DELETE FROM result_shares WHERE created_by_id = $1 AND expires_at <= now()', [
      actor.userId,
    ])
    const { rowCount } = await tx.query(
      `INSERT INTO result_shares (id, project_id, created_by_id, member_id, hash, title, job_ids, columns, metrics, group_by, expires_at)
       SELECT $1::uuid, $2::uuid, $3::uuid, (SELECT user_id FROM memberships WHERE project_id = $2::uuid AND user_id = $3::uuid),
              $4::bytea, $5::text, $6::uuid[], $7::text[], $8::text[], $9::text, now() + $10::int * interval '1 day'
        WHERE (SELECT count(*) FROM result_shares WHERE created_by_id = $3::uuid) < ${maxShares}`,
      [
        id,
        project.id,
        actor.userId,
        hashShareToken(token),
        title,
        jobIds,
        [...new Set(columns)],
        [...new Set(metrics)],
        group_by,
        expires_in_days,
      ],
    )
    if (rowCount === 0)
      throw conflict(`You have ${maxShares} links to results, which is the limit. Revoke one of them first.`)
    const detail = { share: id, jobs: jobIds, columns, metrics, group_by, expires_in_days }
    const target = `${project.owner}/${project.slug}`
    await recordAudit(tx, { actorId: actor.userId, action: 'results_shared', target, detail })
    const share = await oneRow<ShareRow>(tx, `${selectShare} WHERE s.id = $1`, [id])
    return { ...datesToText(share), url: `${origin}/shared/results/${token}` }
  })
}

async function requireOwnJobs(
  tx: Transaction,
  { userId }: Actor,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  const { own } = await oneRow<{ own: number }>(
    tx,
    'SELECT count(*)::int AS own FROM jobs WHERE id = ANY ($1) AND user_id = $2 AND project_id = $3',
    [ids, userId, projectId],
  )
  if (own < ids.length)
    throw invalidField(
      'job_ids',
      'must be jobs of yours in this project: a link cannot show jobs of other people. Choose others',
    )
}

/** Revokes a link of the actor. @throws 404 if the actor has no such link. */
export async function revokeResultShare(actor: Actor, shareId: string): Promise<void> {
  if (!z.uuid().safeParse(shareId).success) throw noSuchShare()
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ target: string }>(
      `DELETE FROM result_shares s USING projects p, users o
        WHERE s.id = $1 AND s.created_by_id = $2 AND p.id = s.project_id AND o.id = p.owner_id
        RETURNING o.handle || '/' || p.slug AS target`,
      [shareId, actor.userId],
    )
    const [revoked] = rows
    if (!revoked) throw noSuchShare()
    const detail = { share: shareId }
    const { target } = revoked
    await recordAudit(tx, { actorId: actor.userId, action: 'result_share_revoked', target, detail })
  })
}

const noSuchShare = () => notFound('You have no link with this id. GET /api/result-shares lists your links.')
