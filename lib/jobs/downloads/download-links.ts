import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Actor } from '../../access/actor'
import { sessionSecret } from '../../access/sessions/session-secret'
import { roles } from '../../contract/access/roles'
import { forbidden } from '../../contract/errors'
import { database } from '../../database/client'
import { publicUrl } from '../../env'
import { findVisibleJob, type VisibleJob } from '../read/job-visibility'
import { findArtifact } from './artifacts'
import { downloadResult } from './download'
import { downloadArtifact } from './download-artifact'
import type { RequestHeaders } from './stored-file'

/** The signed content of a link. `expires` is in seconds since 1970. */
interface Claims {
  job: string
  file: string
  user: string
  expires: string
}

/**
 * Creates a link to a file of a job. It is valid until it expires, or until its creator may no longer see the job.
 * @throws 404 if the file does not exist.
 */
export async function createLink(
  actor: Actor,
  job: VisibleJob,
  { file, expires_in }: { file: string; expires_in: number },
  now: Date,
): Promise<{ url: string; expires_at: string }> {
  if (file !== 'result') await findArtifact(job, file)
  const expires = Math.floor(now.getTime() / 1000) + expires_in
  const claims = { job: job.id, file, user: actor.userId, expires: String(expires) }
  const query = new URLSearchParams({ ...claims, signature: (await sign(claims)).toString('base64url') })
  return { url: `${publicUrl()}/api/download?${query}`, expires_at: new Date(expires * 1000).toISOString() }
}

/** Returns the file of a link to any holder of the link. @throws 403 if the link is wrong or has expired. */
export async function followLink(
  given: Claims & { signature: string },
  now: Date,
  headers: RequestHeaders,
): Promise<Response> {
  const { signature, ...claims } = given
  const expected = await sign(claims)
  const sent = Buffer.from(signature, 'base64url')
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw forbidden('This link is not valid. Copy the complete link, or ask for a new one.')
  }
  if (Number(claims.expires) * 1000 <= now.getTime()) {
    throw forbidden('This link has expired. Ask its creator for a new one.')
  }
  const job = await findVisibleJob(await creatorOf(claims.user), claims.job)
  return claims.file === 'result'
    ? downloadResult(job, 'jsonl', headers)
    : downloadArtifact(job, claims.file, 'file', headers)
}

async function sign({ job, file, user, expires }: Claims): Promise<Buffer> {
  const key = hkdfSync('sha256', await sessionSecret(), '', 'gpuq download links, version 1', 32)
  // JSON keeps the claims apart, so that different claims never yield the same text.
  return createHmac('sha256', Buffer.from(key))
    .update(JSON.stringify([job, file, user, expires]))
    .digest()
}

const creatorSchema = z.object({ handle: z.string(), role: z.enum(roles) })

/** Returns the creator of a link with the creator's current rights. */
async function creatorOf(userId: string): Promise<Actor> {
  const { rows } = await database().pool.query(
    'SELECT handle, role FROM users WHERE id = $1 AND disabled_at IS NULL',
    [userId],
  )
  const user = creatorSchema.safeParse(rows[0])
  if (!user.success)
    throw forbidden('The creator of this link can no longer sign in. Ask another member for a link.')
  const limits = { submissionsPerMinute: null, maxActiveJobs: null }
  return { userId, ...user.data, scopes: ['read'], via: 'session', tokenId: null, sessionId: null, limits }
}
