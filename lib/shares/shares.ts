import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict, notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { oneRow, transaction } from '../database/transaction'
import type { VisibleJob } from '../jobs/read/job-visibility'
import type { CreatedShare, createShareSchema, JobShare } from './contract'

type ShareRow = WithDates<JobShare, 'created_at' | 'expires_at'>

/** The columns of the parts that a link shows. */
export const partColumns = 's.output, s.metrics, s.files, s.source'
const columns = `s.id, ${partColumns}, u.handle AS created_by, s.created_at, s.expires_at`
/** Enough for everyone who should see a job, and it limits the database's growth. */
const maxShares = 20

/** Only the hash of a token is stored. A token has 256 random bits, so a fast hash is sufficient. */
export const hashShareToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Lists the links to a job that have not expired, the latest first. */
export async function listShares({ id }: Pick<VisibleJob, 'id'>): Promise<JobShare[]> {
  const { rows } = await database().pool.query<ShareRow>(
    `SELECT ${columns} FROM job_shares s JOIN users u ON u.id = s.created_by_id
      WHERE s.job_id = $1 AND s.expires_at > now() ORDER BY s.created_at DESC, s.id DESC`,
    [id],
  )
  return rows.map(datesToText)
}

/**
 * Creates a link to a page that shows a job without signing in. Its address is only in this response.
 * @param origin the address at which the caller reached gpuq
 * @throws 409 if the job has too many links.
 */
export function createShare(
  actor: Actor,
  { id: jobId }: Pick<VisibleJob, 'id'>,
  { expires_in_days, ...parts }: z.output<typeof createShareSchema>,
  origin: string,
): Promise<CreatedShare> {
  const { output, metrics, files, source } = parts
  const token = randomBytes(32).toString('base64url')
  const id = uuidv7()
  return transaction(async (tx) => {
    // Links that are created at the same moment are counted one after the other.
    await tx.query('SELECT 1 FROM jobs WHERE id = $1 FOR NO KEY UPDATE', [jobId])
    await tx.query('DELETE FROM job_shares WHERE job_id = $1 AND expires_at <= now()', [jobId])
    const { rowCount } = await tx.query(
      `INSERT INTO job_shares (id, job_id, hash, created_by_id, expires_at, output, metrics, files, source)
       SELECT $1::uuid, $2::uuid, $3::bytea, $4::uuid, now() + $5::int * interval '1 day',
              $6::boolean, $7::boolean, $8::boolean, $9::boolean
        WHERE (SELECT count(*) FROM job_shares WHERE job_id = $2::uuid) < ${maxShares}`,
      [id, jobId, hashShareToken(token), actor.userId, expires_in_days, output, metrics, files, source],
    )
    if (rowCount === 0)
      throw conflict(`The job has ${maxShares} links, which is the limit. Revoke one of them first.`)
    const detail = { share: id, ...parts, expires_in_days }
    await recordAudit(tx, { actorId: actor.userId, action: 'job_shared', target: jobId, detail })
    const share = await oneRow<ShareRow>(
      tx,
      `SELECT ${columns} FROM job_shares s JOIN users u ON u.id = s.created_by_id WHERE s.id = $1`,
      [id],
    )
    return { ...datesToText(share), url: `${origin}/shared/${token}` }
  })
}

/** Revokes a link to a job. @throws 404 if the job has no such link. */
export async function revokeShare(
  actor: Actor,
  { id: jobId }: Pick<VisibleJob, 'id'>,
  shareId: string,
): Promise<void> {
  if (!z.uuid().safeParse(shareId).success) throw noSuchShare()
  await transaction(async (tx) => {
    const { rowCount } = await tx.query('DELETE FROM job_shares WHERE job_id = $1 AND id = $2', [
      jobId,
      shareId,
    ])
    if (rowCount === 0) throw noSuchShare()
    const detail = { share: shareId }
    await recordAudit(tx, { actorId: actor.userId, action: 'job_share_revoked', target: jobId, detail })
  })
}

const noSuchShare = () =>
  notFound('The job has no link with this id. GET /api/jobs/ID/shares lists its links.')
