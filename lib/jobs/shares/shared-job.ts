import { SlidingWindows } from '../../async/sliding-windows'
import type { SharedFacts } from '../../contract/access/shares'
import { notFound, rateLimited } from '../../contract/errors'
import type { JobSource } from '../../contract/jobs'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'
import { collectOutput } from '../../results/decode'
import { readOutput } from '../../results/read-output'
import { plainText } from '../downloads/download'
import { readJobDetail, readSourceForOthers } from '../read/read'
import { toSharedFacts } from './shared-facts'
import { hashShareToken } from './shares'

/** A job as the holder of a link may see it. */
interface OpenShare {
  jobId: string
  attempt: number
  source: boolean
  expiresAt: Date
}

/** Each request reads the output of a job. A page needs one, and a person opens few. */
const requestsPerMinute = 60
const maxAddresses = 20_000

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqSharedJobs?: SlidingWindows }
shared.gpuqSharedJobs ??= new SlidingWindows(60_000, maxAddresses)
const requests = shared.gpuqSharedJobs

/**
 * Opens a link to a job. It ends when it expires or is revoked, when its creator or the owner of the job is disabled, and
 * when its creator may no longer see the job.
 * @param address of the client, for the rate limit
 * @throws 404, the same for each of these reasons, and 429.
 */
export async function openShare(token: string, address: string): Promise<OpenShare> {
  const waitS = requests.hit(address, requestsPerMinute, performance.now())
  if (waitS !== null) {
    throw rateLimited(`There were too many requests from your address. Try again in ${waitS} seconds.`, waitS)
  }
  const share = await findShare(token)
  if (share) return share
  throw notFound('This link is not valid: it is incomplete, has expired or was revoked. Ask for a new one.')
}

/** Finds the job of a link that is still valid. For a page that is open: it counts no request. */
export function findShare(token: string): Promise<OpenShare | null> {
  return findRow<OpenShare>(
    database().pool,
    `SELECT j.id AS "jobId", j.attempt, s.source, s.expires_at AS "expiresAt"
       FROM job_shares s JOIN jobs j ON j.id = s.job_id
       JOIN users owner ON owner.id = j.user_id JOIN users creator ON creator.id = s.created_by_id
      WHERE s.hash = $1 AND s.expires_at > now()
        AND owner.disabled_at IS NULL AND creator.disabled_at IS NULL
        AND (creator.id = owner.id OR creator.role = 'admin')`,
    [hashShareToken(token)],
  )
}

/** What the page of a link shows. */
export interface SharedJob extends SharedFacts {
  /** The beginning of what the job printed, without the rest of a line that is cut. */
  output: string
  /** The output is longer, and can be downloaded. */
  outputCut: boolean
  results: readonly unknown[]
  /** Null if the link does not show it. */
  source: JobSource | null
  expiresAt: string
}

/** Browsers need seconds to lay out more. The download has everything. */
const maxOutputBytes = 256 * 1024
const maxResultBytes = 1024 * 1024

/** Reads what the page of a link shows. */
export async function readSharedJob({ jobId, attempt, source, expiresAt }: OpenShare): Promise<SharedJob> {
  const [job, output, collected, shown] = await Promise.all([
    readJobDetail(jobId),
    readBeginning(await plainText({ id: jobId, attempt })),
    collectOutput(readOutput(jobId, attempt, 0), { maxBytes: maxResultBytes }),
    source ? readSourceForOthers(jobId) : null,
  ])
  return {
    ...toSharedFacts(job),
    output: output.text,
    outputCut: output.cut,
    results: collected.results,
    source: shown,
    expiresAt: expiresAt.toISOString(),
  }
}

async function readBeginning(chunks: AsyncIterable<Buffer>): Promise<{ text: string; cut: boolean }> {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    kept.push(chunk)
    bytes += chunk.length
    if (bytes > maxOutputBytes) break
  }
  const all = Buffer.concat(kept)
  if (all.length <= maxOutputBytes) return { text: all.toString(), cut: false }
  // At a line's end, or the first bytes of a character would be left.
  const end = all.lastIndexOf('\n', maxOutputBytes - 1) + 1
  return { text: all.subarray(0, end || maxOutputBytes).toString(), cut: true }
}
