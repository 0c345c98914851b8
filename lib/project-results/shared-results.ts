import { downloadArtifact } from '../artifacts/download-artifacts'
import { parseSpec, type Unparsed } from '../contract/config/stored-spec'
import { notFound } from '../contract/errors'
import type { FilesDeletion } from '../contract/job-files'
import type { JobStatus } from '../contract/status'
import { database } from '../database/client'
import { findRow } from '../database/transaction'
import type { RequestHeaders } from '../jobs/downloads/stored-file'
import { summaryJoins, toSummary } from '../jobs/read/list'
import { countLinkRequest, invalidLink } from '../shares/link-requests'
import { withDownloadSlot } from '../shares/link-slots'
import { hashShareToken } from '../shares/shares'
import { type SharedResults, type SharedRow, sharedResultsSchema } from './contract'
import type { ResultColumn } from './contract-columns'
import {
  chosenMetrics,
  groupedOf,
  groupOf,
  picturesOfJob,
  type ResultJob,
  resultColumnsOf,
} from './result-jobs'
import { sharedJobs } from './result-shares'

/** Results as the holder of a link may see them. */
interface OpenShare {
  id: string
  title: string | null
  columns: ResultColumn[]
  metrics: string[]
  groupBy: string | null
  expiresAt: Date
}

/**
 * Finds a link that is valid. It ends when it expires or is revoked, and with the membership of its creator. It does not work while
 * its creator is disabled, nor, without a membership, while its creator is neither the owner of the project nor an admin.
 */
function findShare(token: string): Promise<OpenShare | null> {
  return findRow<OpenShare>(
    database().pool,
    `SELECT s.id, s.title, s.columns, s.metrics, s.group_by AS "groupBy", s.expires_at AS "expiresAt"
       FROM result_shares s JOIN projects p ON p.id = s.project_id JOIN users creator ON creator.id = s.created_by_id
      WHERE s.hash = $1 AND s.expires_at > now() AND creator.disabled_at IS NULL
        AND (s.member_id IS NOT NULL OR p.owner_id = creator.id OR creator.role = 'admin')`,
    [hashShareToken(token)],
  )
}

async function openShare(token: string, address: string): Promise<OpenShare> {
  const share = await findShare(token)
  if (share) return share
  countLinkRequest('results', { address })
  throw invalidLink()
}

/**
 * Reads what the page of a link shows: the chosen columns of those chosen jobs that its creator still has in the project.
 * @param address of the client, for the rate limit
 * @throws 404 for a link that is not valid, and 429.
 */
export async function readSharedResults(token: string, address: string): Promise<SharedResults> {
  const share = await openShare(token, address)
  countLinkRequest('results', { address })
  const { id, title, columns, metrics, groupBy, expiresAt } = share
  const { rows } = await database().pool.query<Unparsed<ResultJob> & { number: number }>(
    `SELECT ${resultColumnsOf(columns.includes('pictures'))}, array_position(s.job_ids, j.id)::int AS number
       FROM result_shares s JOIN jobs j ON ${sharedJobs} ${summaryJoins}
      WHERE s.id = $1 ORDER BY number`,
    [id],
  )
  return sharedResultsSchema.parse({
    title,
    columns,
    metrics,
    group_by: groupBy,
    rows: rows.map(({ number, ...row }) => toSharedRow(parseSpec(row), number, share)),
    expires_at: expiresAt.toISOString(),
  })
}

/** What each column needs of a job. A new fact of a job is not shared by itself. */
const cells: Record<ResultColumn, (job: ResultJob) => Partial<SharedRow>> = {
  name: ({ name }) => ({ name }),
  status: (job) => ({ status: toSummary(job).status }),
  tags: ({ tags }) => ({ tags }),
  submitted: (job) => ({ created_at: toSummary(job).created_at }),
  run_time: ({ started_at, completed_at }) => ({
    run_seconds: started_at && completed_at ? (completed_at.getTime() - started_at.getTime()) / 1000 : null,
  }),
  pictures: ({ pictures }) => ({
    pictures: pictures.map(({ path }, index) => ({ number: index + 1, path })),
  }),
}

function toSharedRow(job: ResultJob, number: number, { columns, metrics, groupBy }: OpenShare): SharedRow {
  const grouped = groupBy === null ? {} : { group: groupOf(groupedOf(job, false), groupBy) }
  const values = metrics.length === 0 ? {} : { metrics: chosenMetrics(job, metrics) }
  return Object.assign({ number }, ...columns.map((column) => cells[column](job)), values, grouped)
}

/** A job of a link with its pictures. */
interface SharedJob extends FilesDeletion {
  id: string
  userId: string
  status: JobStatus
  attempt: number
  pictures: { artifact_id: string }[]
}

/**
 * Returns a picture of a job for the holder of a link.
 * @param place the numbers of the job and of the picture in the results
 * @throws 404, also if the link does not show pictures, 409 if it is no image, and 429.
 */
export async function sharedPicture(
  token: string,
  place: { job: string; picture: string },
  address: string,
  headers: RequestHeaders,
): Promise<Response> {
  const share = await openShare(token, address)
  countLinkRequest('pictures', { address })
  const job = share.columns.includes('pictures') ? await findJob(share, numberOf(place.job)) : null
  const picture = job?.pictures[numberOf(place.picture) - 1]
  if (!job || !picture) throw notFound('This link does not show such a picture.')
  const { pictures: _, ...file } = job
  const mayRead = async () => (await findShare(token)) !== null
  return withDownloadSlot({ address, jobId: job.id }, (onEnd) =>
    downloadArtifact({ ...file, mayRead }, picture.artifact_id, 'image', headers, onEnd),
  )
}

const numberOf = (text: string) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0)

function findJob({ id }: OpenShare, number: number): Promise<SharedJob | null> {
  return findRow<SharedJob>(
    database().pool,
    `SELECT j.id, j.user_id AS "userId", j.status, j.attempt, j.files_deleted, j.deleted_after_days, ${picturesOfJob} AS pictures
       FROM result_shares s JOIN jobs j ON ${sharedJobs} WHERE s.id = $1 AND j.id = s.job_ids[$2]`,
    [id, number],
  )
}
