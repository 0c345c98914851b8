import { z } from 'zod'
import { contentLost, notFound } from '../contract/errors'
import { isFinal, type JobStatus } from '../contract/status'
import { safePaths } from '../contract/text/sanitize-text'
import { database } from '../database/client'
import { findRow, oneRow } from '../database/transaction'
import { filesDeleted, openFile, type RequestHeaders, storedDownload } from '../jobs/downloads/stored-file'
import type { VisibleJob } from '../jobs/read/job-visibility'
import { logger } from '../logger'
import { artifactKey } from '../results/name'
import { type ByteRange, StorageFault } from '../storage/store'
import { maxListedFiles, type WorkingFile, type WorkingFiles } from './contract'

/** Lists the files of a job's working directory whose version is above `after`, in the order of their versions. */
export async function listWorkingFiles({ id }: Pick<VisibleJob, 'id'>, after: number): Promise<WorkingFiles> {
  // Read before the files: the files of an ended job are complete.
  const job = await oneRow<{ status: JobStatus; path: string | null }>(database().pool, {
    name: 'working-directory-of-job',
    text: `SELECT status, spec->>'working_directory' AS path FROM jobs WHERE id = $1`,
    values: [id],
  })
  const { rows: files } = await database().pool.query<WorkingFile>({
    name: 'list-working-files',
    text: `SELECT id AS file_id, rank, path, bytes, sha256, executable, version FROM working_files
            WHERE job_id = $1 AND version > $2 ORDER BY version LIMIT ${maxListedFiles}`,
    values: [id, after],
  })
  const more = files.length === maxListedFiles
  return {
    working_directory: job.path,
    files,
    next: files.at(-1)?.version ?? after,
    more,
    ended: isFinal(job.status) && !more,
  }
}

/** Returns one version of a file, or a part of it. @throws 404 also if a later version has replaced it; 410 if the storage has lost it. */
export async function downloadWorkingFile(
  job: VisibleJob,
  fileId: string,
  headers: RequestHeaders,
): Promise<Response> {
  const row = await findVersion(job.id, fileId)
  if (!row) {
    if (job.files_deleted !== null) throw filesDeleted(job)
    throw noSuchVersion()
  }
  const key = artifactKey({ jobId: job.id, attempt: row.attempt, rank: row.rank }, fileId)
  const open = async (range?: ByteRange) => {
    const { stream } = await openFile(job.id, key, range).catch(async (error: unknown) => {
      if (!(error instanceof StorageFault) || error.code !== 'not_found') throw error
      if (!(await findVersion(job.id, fileId))) throw noSuchVersion()
      logger.error({ key }, 'the storage has lost the content of a working file')
      throw contentLost('The storage of gpuq has lost the content of this file. Tell your admin.')
    })
    return stream
  }
  const [name = 'file'] = safePaths([row.path.slice(row.path.lastIndexOf('/') + 1)])
  const download = { name, type: 'application/octet-stream', mayRead: job.mayRead }
  return storedDownload(headers, { ...row, open }, download)
}

interface Version {
  attempt: number
  rank: number
  path: string
  bytes: number
  sha256: string
}

async function findVersion(jobId: string, fileId: string): Promise<Version | null> {
  if (!z.uuid().safeParse(fileId).success) return null
  return findRow<Version>(
    database().pool,
    'SELECT attempt, rank, path, bytes, sha256 FROM working_files WHERE job_id = $1 AND id = $2',
    [jobId, fileId],
  )
}

const noSuchVersion = () =>
  notFound(
    'The job has no such version of a file. GET /api/jobs/ID/working-files lists its files; a changed file has a new id.',
  )
