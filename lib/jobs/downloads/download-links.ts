import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Actor } from '../../access/actor'
import { sessionSecret } from '../../access/sessions/session-secret'
import { GpuqError } from '../../contract/errors'
import { roles } from '../../contract/roles'
import { database } from '../../database/client'
import { publicUrl } from '../../env'
import { findVisibleJob, type VisibleJob } from '../read/job-visibility'
import { downloadArtifact, listArtifacts } from './artifacts'
import { downloadResult } from './download'

/** What a link says, all of it signed. Times are seconds since 1970. */
interface Claims {
  job: string
  file: string
  user: string
  expires: string
}

/** Makes a link to a file of a job. It dies when it expires, and with its maker's rights. @throws 404 for a file that is not there. */
export async function createLink(
  actor: Actor,
  job: VisibleJob,
  { file, expires_in }: { file: string; expires_in: number },
  now: Date,
): Promise<{ url: string; expires_at: string }> {
  if (
    file !== 'result' &&
    !(await listArtifacts(job)).artifacts.some(({ artifact_id }) => artifact_id === file)
  ) {
    throw new GpuqError('not_found', 'The job has no artifact with this id. Look at /api/jobs/ID/artifacts.')
  }
  const expires = Math.floor(now.getTime() / 1000) + expires_in
  const claims = { job: job.id, file, user: actor.userId, expires: String(expires) }
  const query = new URLSearchParams({ ...claims, signature: (await sign(claims)).toString('base64url') })
  return { url: `${publicUrl()}/api/download?${query}`, expires_at: new Date(expires * 1000).toISOString() }
}

/** The file that a link leads to, for whoever has the link. @throws 403 when it is not, or no more, good. */
export async function followLink(given: Claims & { signature: string }, now: Date): Promise<Response> {
  const { signature, ...claims } = given
  const expected = await sign(claims)
  const sent = Buffer.from(signature, 'base64url')
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw new GpuqError('forbidden', 'This link is not valid. Copy all of it, or ask for a new one.')
  }
  if (Number(claims.expires) * 1000 <= now.getTime()) {
    throw new GpuqError('forbidden', 'This link has expired. Ask whoever gave it to you for a new one.')
  }
  const job = await findVisibleJob(await maker(claims.user), claims.job)
  return claims.file === 'result' ? downloadResult(job, 'jsonl') : downloadArtifact(job, claims.file, 'file')
}

async function sign({ job, file, user, expires }: Claims): Promise<Buffer> {
  const key = hkdfSync('sha256', await sessionSecret(), '', 'gpuq download links, version 1', 32)
  // As JSON, so that no two claims read the same in another order.
  return createHmac('sha256', Buffer.from(key))
    .update(JSON.stringify([job, file, user, expires]))
    .digest()
}

const makerSchema = z.object({ handle: z.string(), role: z.enum(roles) })

/** Who made the link, as they are today. */
async function maker(userId: string): Promise<Actor> {
  const { rows } = await database().pool.query(
    'SELECT handle, role FROM users WHERE id = $1 AND disabled_at IS NULL',
    [userId],
  )
  const user = makerSchema.safeParse(rows[0])
  if (!user.success) throw new GpuqError('forbidden', 'Whoever made this link may not give it any more.')
  const limits = { submissionsPerMinute: null, maxActiveJobs: null }
  return { userId, ...user.data, scopes: ['read'], via: 'session', tokenId: null, limits }
}
