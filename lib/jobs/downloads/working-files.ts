import { z } from 'zod'
import { notFound } from '../../contract/errors'
import { safePaths } from '../../contract/sanitize-text'
import { isFinal, type JobStatus } from '../../contract/status'
import { maxListedFiles, type WorkingFile, type WorkingFiles } from '../../contract/working-files'
import { database } from '../../database/client'
import { findRow, oneRow } from '../../database/transaction'
import { artifactKey } from '../../results/name'
import { StorageFault } from '../../storage/store'
import type { VisibleJob } from '../read/job-visibility'
import { filesDeleted, openFile } from './artifacts'
import { contentDisposition } from './content-disposition'

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

/** Returns one version of a file. @throws 404 also if a later version has replaced it. */
export async function downloadWorkingFile(job: VisibleJob, fileId: string): Promise<Response> {
  const row = z.uuid().safeParse(fileId).success
    ? await findRow<{ attempt: number; rank: number; path: string }>(
        database().pool,
        'SELECT attempt, rank, path FROM working_files WHERE job_id = $1 AND id = $2',
        [job.id, fileId],
      )
    : null
  if (!row) {
    if (job.files_deleted !== null) throw filesDeleted(job)
    throw noSuchVersion()
  }
  const key = artifactKey({ jobId: job.id, attempt: row.attempt, rank: row.rank }, fileId)
  const { stream } = await openFile(job.id, key).catch((error: unknown) => {
    throw error instanceof StorageFault && error.code === 'not_found' ? noSuchVersion() : error
  })
  const [name = 'file'] = safePaths([row.path.slice(row.path.lastIndexOf('/') + 1)])
  return contentDisposition(stream, { name, type: 'application/octet-stream' })
}

const noSuchVersion = () =>
  notFound(
    'The job has no such version of a file. GET /api/jobs/ID/working-files lists its files; a changed file has a new id.',
  )
