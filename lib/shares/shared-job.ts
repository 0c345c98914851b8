import { hasArtifacts } from '../artifacts/artifacts'
import { notFound } from '../contract/errors'
import type { JobDetail, JobSource } from '../contract/jobs'
import { isFinal } from '../contract/status'
import { database } from '../database/client'
import { findRow } from '../database/transaction'
import type { VisibleJob } from '../jobs/read/job-visibility'
import { readJobDetail, readSourceForOthers } from '../jobs/read/read'
import { ownReader } from '../results/reading/output-reader'
import type { SharedFacts, SharePart, ShareParts } from './contract'
import { countLinkRequest, invalidLink } from './link-requests'
import { toSharedFacts } from './shared-facts'
import { endedOutput, isCached, runningOutput, type SharedOutput } from './shared-output'
import { hashShareToken, partColumns } from './shares'

/** A link that works, with the parts that it shows and the present state of its job. */
interface FoundShare extends ShareParts, Pick<VisibleJob, 'status' | 'attempt' | 'files_deleted'> {
  jobId: string
  ownerId: string
  expiresAt: Date
}

/** A job as the holder of a link may see it. */
export interface OpenShare extends FoundShare {
  /** The client's address. */
  address: string
}

/**
 * Opens a link to a job. It ends when it expires or is revoked, when its creator or the owner of the job is disabled, and
 * when its creator may no longer see the job.
 * @param address of the client, for the rate limit
 * @throws 404, the same for each of these reasons, and 429.
 */
export async function openShare(token: string, address: string): Promise<OpenShare> {
  const share = await findShare(token)
  if (share) return { ...share, address }
  countLinkRequest('readings', { address })
  throw invalidLink()
}

/** @throws 404 if the link does not show the part of the job. */
export function requirePart(share: FoundShare, part: SharePart): void {
  if (share[part]) return
  throw notFound(`This link does not show the ${part} of the job. Ask for a link that does.`)
}

/** Finds the job of a link that is still valid. */
export function findShare(token: string): Promise<FoundShare | null> {
  return findRow<FoundShare>(
    database().pool,
    `SELECT j.id AS "jobId", j.user_id AS "ownerId", j.status, j.attempt, j.files_deleted, ${partColumns},
            s.expires_at AS "expiresAt"
       FROM job_shares s JOIN jobs j ON j.id = s.job_id
       JOIN users owner ON owner.id = j.user_id JOIN users creator ON creator.id = s.created_by_id
      WHERE s.hash = $1 AND s.expires_at > now()
        AND owner.disabled_at IS NULL AND creator.disabled_at IS NULL
        AND (creator.id = owner.id OR creator.role = 'admin')`,
    [hashShareToken(token)],
  )
}

/** What the page of a link shows. */
export interface SharedJob extends SharedFacts, SharedOutput {
  shows: Shown
  /** Null if the link does not show it. */
  source: JobSource | null
  expiresAt: string
}

/** What the page shows of the parts of a link: what the job has, or may have later. */
export type Shown = Record<'output' | 'metrics' | 'files', boolean>

const noOutput: SharedOutput = { output: '', outputCut: false, results: [] }

/**
 * Reads what the page of a link shows.
 * @throws 429 if the output must be read, and the client or all links of the owner read too much.
 */
export async function readSharedJob(share: OpenShare): Promise<SharedJob> {
  const { jobId, output, source, expiresAt } = share
  const [job, shown] = await Promise.all([readJobDetail(jobId), source ? readSourceForOthers(jobId) : null])
  return {
    ...toSharedFacts(job),
    ...(output ? await outputOf(share, job) : noOutput),
    shows: await shownOf(share, job),
    source: shown,
    expiresAt: expiresAt.toISOString(),
  }
}

async function shownOf(
  { jobId: id, output, metrics, files }: OpenShare,
  { status, attempt, files_deleted, metrics: last }: JobDetail,
): Promise<Shown> {
  if (files_deleted !== null) return { output, metrics: false, files: false }
  if (!isFinal(status)) return { output, metrics, files }
  return {
    output,
    metrics: metrics && Object.keys(last).length > 0,
    files: files && (await hasArtifacts({ id, attempt })),
  }
}

async function outputOf(
  share: OpenShare,
  { status, attempt, files_deleted }: JobDetail,
): Promise<SharedOutput> {
  if (files_deleted !== null) return noOutput
  const job = { id: share.jobId, attempt }
  const ended = isFinal(status)
  if (!ended || !isCached(job)) countLinkRequest('readings', share)
  // A view may wait for what another one reads, so it does not end with its client.
  const reader = ownReader(linksOf(share))
  return ended ? endedOutput(reader, job) : runningOutput(reader, job)
}

/** Readers with links share the slots and turns of the owner of the job, and do not take those that the owner has by signing in. */
export const linksOf = ({ ownerId }: Pick<OpenShare, 'ownerId'>): string => `links of ${ownerId}`

/** Downloads have slots and turns of their own: a client that does not take its download must not block the pages of the links. */
export const downloadsByLinksOf = ({ ownerId }: Pick<OpenShare, 'ownerId'>): string =>
  `downloads by links of ${ownerId}`
