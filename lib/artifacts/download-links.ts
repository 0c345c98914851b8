import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict, notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { oneRow, transaction } from '../database/transaction'
import { publicUrl } from '../env'
import type { VisibleJob } from '../jobs/read/job-visibility'
import { findArtifact } from './artifacts'
import type { CreatedLink, createLinkSchema, DownloadLink } from './contract-links'

type LinkRow = WithDates<DownloadLink, 'created_at' | 'expires_at'>

const columns = `l.id, coalesce(l.artifact_id::text, 'result') AS file, a.path, u.handle AS created_by, t.name AS made_with,
  l.created_at, l.expires_at`
const source = `download_links l JOIN users u ON u.id = l.created_by_id LEFT JOIN api_tokens t ON t.id = l.token_id
  LEFT JOIN sessions s ON s.id = l.session_id LEFT JOIN artifacts a ON a.id = l.artifact_id`

/** SQL condition for a link with its creator `u`, token `t` and session `s`: it ends with the credential that made it. */
export const liveLink = `l.expires_at > now() AND u.disabled_at IS NULL
  AND (l.token_id IS NULL OR (t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())))
  AND (l.session_id IS NULL OR (s.expires_at > now() AND s.epoch = u.session_epoch))`

const deleteEnded = (condition: string) =>
  `DELETE FROM download_links WHERE id IN (SELECT l.id FROM ${source} WHERE ${condition} AND NOT (${liveLink}))`

/** Links of one user that still work. Enough for a script, and it limits the database's growth. */
const linksPerUser = 1000

/** Only the hash of a secret is stored. A secret has 256 random bits, so a fast hash is sufficient. */
export const hashLinkSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Lists the links to files of a job that still work, the latest first. */
export async function listLinks({ id }: Pick<VisibleJob, 'id'>): Promise<DownloadLink[]> {
  const { rows } = await database().pool.query<LinkRow>(
    `SELECT ${columns} FROM ${source} WHERE l.job_id = $1 AND ${liveLink} ORDER BY l.created_at DESC, l.id DESC`,
    [id],
  )
  return rows.map(datesToText)
}

/**
 * Creates a link to a file of a job. It works until it expires or is revoked, until the credential that made it ends, or until
 * its creator may no longer see the job. Its address is only in this response.
 * @throws 404 if the file does not exist, 409 if the actor has too many links.
 */
export async function createLink(
  actor: Actor,
  job: VisibleJob,
  { file, expires_in }: z.output<typeof createLinkSchema>,
): Promise<CreatedLink> {
  const artifact = file === 'result' ? null : await findArtifact(job, file)
  const secret = randomBytes(32).toString('base64url')
  const id = uuidv7()
  return transaction(async (tx) => {
    // Links that are created at the same moment are counted one after the other.
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.userId])
    await tx.query(deleteEnded('l.created_by_id = $1'), [actor.userId])
    const { rowCount } = await tx.query(
      `INSERT INTO download_links (id, hash, job_id, artifact_id, created_by_id, token_id, session_id, expires_at)
       SELECT $1::uuid, $2::bytea, $3::uuid, $4::uuid, $5::uuid, $6::uuid, $7::uuid, now() + $8::int * interval '1 second'
        WHERE (SELECT count(*) FROM download_links WHERE created_by_id = $5::uuid) < ${linksPerUser}`,
      [
        id,
        hashLinkSecret(secret),
        job.id,
        artifact?.artifact_id ?? null,
        actor.userId,
        actor.tokenId,
        actor.sessionId,
        expires_in,
      ],
    )
    if (rowCount === 0)
      throw conflict(
        `You have ${linksPerUser} download links, which is the limit. Revoke links on the pages of your jobs, or the token that made them.`,
      )
    const detail = { link: id, file: artifact?.path ?? 'result', expires_in }
    await recordAudit(tx, { actorId: actor.userId, action: 'download_link_created', target: job.id, detail })
    const link = await oneRow<LinkRow>(tx, `SELECT ${columns} FROM ${source} WHERE l.id = $1`, [id])
    return { ...datesToText(link), url: `${publicUrl()}/api/download?link=${secret}` }
  })
}

/** Revokes a link to a file of a job. A download that is in progress breaks off. @throws 404 if the job has no such link. */
export async function revokeLink(
  actor: Actor,
  { id: jobId }: Pick<VisibleJob, 'id'>,
  linkId: string,
): Promise<void> {
  const valid = z.uuid().safeParse(linkId).success
  await transaction(async (tx) => {
    const { rowCount } = valid
      ? await tx.query('DELETE FROM download_links WHERE job_id = $1 AND id = $2', [jobId, linkId])
      : { rowCount: 0 }
    if (rowCount === 0)
      throw notFound('The job has no download link with this id. GET /api/jobs/ID/links lists its links.')
    const detail = { link: linkId }
    await recordAudit(tx, { actorId: actor.userId, action: 'download_link_revoked', target: jobId, detail })
  })
}

/** Deletes links that have expired, or that ended with their token, session or creator. */
export async function deleteEndedLinks(): Promise<void> {
  await database().pool.query(deleteEnded('true'))
}
