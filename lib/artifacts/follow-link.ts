import type { Actor } from '../access/actor'
import type { Role, Scope } from '../contract/access/roles'
import { forbidden } from '../contract/errors'
import { database } from '../database/client'
import { findRow } from '../database/transaction'
import { downloadResultFile } from '../jobs/downloads/download'
import type { RequestHeaders } from '../jobs/downloads/stored-file'
import { findVisibleJob, type VisibleJob } from '../jobs/read/job-visibility'
import { downloadArtifact } from './download-artifacts'
import { hashLinkSecret, liveLink } from './download-links'

/** A link that works, with the present rights of its creator and the credential that made it. */
interface FoundLink {
  jobId: string
  artifactId: string | null
  userId: string
  handle: string
  role: Role
  /** Null: a session made it. */
  scopes: Scope[] | null
  tokenId: string | null
  sessionId: string | null
}

/** Returns the file of a link to any holder of the link. @throws 403 if the link does not work. */
export async function followLink(secret: string, headers: RequestHeaders): Promise<Response> {
  const link = await findLink(secret)
  if (!link) {
    throw forbidden(
      'This link does not work: it is incomplete, has expired, was revoked, or the token or session that made it has ended. Ask for a new one.',
    )
  }
  const job = await findVisibleJob(creatorOf(link), link.jobId)
  return sendFile(
    { ...job, mayRead: async () => (await findLink(secret)) !== null && job.mayRead() },
    link.artifactId ?? 'result',
    headers,
  )
}

/** Sends the result of a job, or an artifact. */
export function sendFile(job: VisibleJob, file: string, headers: RequestHeaders): Promise<Response> {
  return file === 'result' ? downloadResultFile(job, headers) : downloadArtifact(job, file, 'file', headers)
}

function findLink(secret: string): Promise<FoundLink | null> {
  return findRow<FoundLink>(database().pool, {
    name: 'follow-download-link',
    text: `SELECT l.job_id AS "jobId", l.artifact_id AS "artifactId", u.id AS "userId", u.handle, u.role, t.scopes,
                  l.token_id AS "tokenId", l.session_id AS "sessionId"
             FROM download_links l JOIN users u ON u.id = l.created_by_id
             LEFT JOIN api_tokens t ON t.id = l.token_id LEFT JOIN sessions s ON s.id = l.session_id
            WHERE l.hash = $1 AND ${liveLink}`,
    values: [hashLinkSecret(secret)],
  })
}

/**
 * A link can do no more than the credential that made it: the token of an admin may lack the scope `admin`. A token of a class
 * makes no links.
 */
function creatorOf({ userId, handle, role, scopes, tokenId, sessionId }: FoundLink): Actor {
  const limits = { submissionsPerMinute: null, maxActiveJobs: null }
  const via = tokenId === null ? 'session' : 'token'
  return {
    userId,
    handle,
    role,
    scopes: scopes ?? ['read'],
    via,
    tokenId,
    sessionId,
    restriction: null,
    limits,
  }
}
