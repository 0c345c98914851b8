import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../access/actor'
import { sessionSecret } from '../access/sessions/session-secret'
import { forbidden } from '../contract/errors'
import { database } from '../database/client'
import type { RequestHeaders } from '../jobs/downloads/stored-file'
import { findVisibleJob } from '../jobs/read/job-visibility'
import { sendFile } from './follow-link'

/** The signed content of a link. `expires` is in seconds since 1970. */
interface Claims {
  job: string
  file: string
  user: string
  expires: string
}

/**
 * Returns the file of a link that an earlier version signed. Such links were valid for at most seven days, and no new ones are
 * made: this file can be removed a week after the upgrade of every installation.
 * @throws 403 if the link is wrong or has expired.
 */
export async function followSignedLink(
  given: Claims & { signature: string },
  now: Date,
  headers: RequestHeaders,
): Promise<Response> {
  const { signature, ...claims } = given
  const expected = await signClaims(claims)
  const sent = Buffer.from(signature, 'base64url')
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw forbidden('This link is not valid. Copy the complete link, or ask for a new one.')
  }
  if (Number(claims.expires) * 1000 <= now.getTime()) {
    throw forbidden('This link has expired. Ask its creator for a new one.')
  }
  const job = await findVisibleJob(await creatorOf(claims.user), claims.job)
  return sendFile(job, claims.file, headers)
}

/** Exported for the test, which needs a link of the earlier version. */
export async function signClaims({ job, file, user, expires }: Claims): Promise<Buffer> {
  const key = hkdfSync('sha256', await sessionSecret(), '', 'gpuq download links, version 1', 32)
  // JSON keeps the claims apart, so that different claims never yield the same text.
  return createHmac('sha256', Buffer.from(key))
    .update(JSON.stringify([job, file, user, expires]))
    .digest()
}

/** Returns the creator of a link with the creator's current rights. */
async function creatorOf(userId: string): Promise<Actor> {
  const user = await database().prisma.user.findUnique({
    where: { id: userId, disabledAt: null },
    select: { handle: true, role: true },
  })
  if (!user) throw forbidden('The creator of this link can no longer sign in. Ask another member for a link.')
  const limits = { submissionsPerMinute: null, maxActiveJobs: null }
  const credential = { via: 'session', tokenId: null, sessionId: null, restriction: null } as const
  return { userId, ...user, scopes: ['read'], ...credential, limits }
}
