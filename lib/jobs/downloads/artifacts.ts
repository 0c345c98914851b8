import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Artifact, ArtifactList, FilesDeletion } from '../../contract/artifacts'
import { type GpuqError, notFound } from '../../contract/errors'
import { safePaths } from '../../contract/text/sanitize-text'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { findRow } from '../../database/transaction'
import { artifactKey } from '../../results/name'
import { openUnlessDeleted } from '../../results/open-unless-deleted'
import type { ByteRange, OpenedObject } from '../../storage/store'
import type { VisibleJob } from '../read/job-visibility'
import { contentDisposition, type Download } from './content-disposition'
import { type TarEntry, tarOf } from './tar'

type ArtifactRow = WithDates<Artifact, 'stored_at'>

const columns = 'id AS artifact_id, rank, path, bytes, sha256, stored_at'

/** Lists the artifacts of the job's last attempt by rank and path. */
export async function listArtifacts(job: VisibleJob): Promise<ArtifactList> {
  const rows = await readRows(job)
  const { files_deleted, deleted_after_days } = job
  return { artifacts: rows.map(datesToText), files_deleted, deleted_after_days }
}

/** Whether the job's last attempt left files in /results. */
export async function hasArtifacts({ id, attempt }: Pick<VisibleJob, 'id' | 'attempt'>): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    'SELECT 1 FROM artifacts WHERE job_id = $1 AND attempt = $2 LIMIT 1',
    [id, attempt],
  )
  return rowCount === 1
}

async function readRows({ id, attempt }: VisibleJob): Promise<ArtifactRow[]> {
  const { rows } = await database().pool.query<ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE job_id = $1 AND attempt = $2 ORDER BY rank, path COLLATE "C"`,
    [id, attempt],
  )
  return rows
}

/** An artifact of any attempt. */
export type FoundArtifact = ArtifactRow & { attempt: number }

/** Finds an artifact of the job. @throws 404. */
export async function findArtifact(job: VisibleJob, artifactId: string): Promise<FoundArtifact> {
  const row = z.uuid().safeParse(artifactId).success
    ? await findRow<FoundArtifact>(
        database().pool,
        `SELECT ${columns}, attempt FROM artifacts WHERE job_id = $1 AND id = $2`,
        [job.id, artifactId],
      )
    : null
  if (row) return row
  if (job.files_deleted !== null) throw filesDeleted(job)
  throw notFound('The job has no artifact with this id. GET /api/jobs/ID/artifacts lists its artifacts.')
}

/** The error for files that were deleted on request, or by the retention of their project. */
export function filesDeleted({ files_deleted, deleted_after_days: days }: FilesDeletion): GpuqError {
  return notFound(
    files_deleted === 'on_request'
      ? 'The owner of the job or an admin deleted the file.'
      : `The file was deleted after ${days} days, the retention of its project.`,
  )
}

/** Opens a stored file of a job, or a part of it. @throws 404 if the job's files were deleted meanwhile. */
export async function openFile(jobId: string, key: string, range?: ByteRange): Promise<OpenedObject> {
  const opened = await openUnlessDeleted(jobId, key, range)
  if ('files_deleted' in opened) throw filesDeleted(opened)
  return opened
}

/** Opens an artifact, or a part of it. */
export async function openArtifact(
  job: VisibleJob,
  row: FoundArtifact,
  range?: ByteRange,
): Promise<Readable> {
  const task = { jobId: job.id, attempt: row.attempt, rank: row.rank }
  return (await openFile(job.id, artifactKey(task, row.artifact_id), range)).stream
}

/** Streams all artifacts of the last attempt as one tar archive. */
export async function downloadArtifacts(
  job: VisibleJob,
  download: Pick<Download, 'name' | 'onEnd'>,
): Promise<Response> {
  const entries = await artifactEntries(job)
  return contentDisposition(tarOf(entries), { ...download, type: 'application/x-tar', mayRead: job.mayRead })
}

/** The artifacts of the last attempt as the files of an archive. */
export async function artifactEntries(job: VisibleJob): Promise<TarEntry[]> {
  const rows = await readRows(job)
  const several = rows.some(({ rank }) => rank !== rows[0]?.rank)
  // In an archive, C:/x is an absolute path for programs of Windows.
  const paths = rows.map(({ rank, path }) =>
    several ? `rank-${rank}/${path}` : path.replace(/^([a-z]):/i, '$1_'),
  )
  const names = safePaths(paths)
  return rows.map((row, index) => ({
    path: names[index] ?? row.artifact_id,
    bytes: row.bytes,
    modified: row.stored_at,
    open: () => openArtifact(job, { ...row, attempt: job.attempt }),
  }))
}
