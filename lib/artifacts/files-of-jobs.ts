import type { Actor } from '../access/actor'
import { conflict } from '../contract/errors'
import { database } from '../database/client'
import { contentDisposition } from '../jobs/downloads/content-disposition'
import { openFile } from '../jobs/downloads/stored-file'
import { type TarEntry, tarOf } from '../jobs/downloads/tar'
import { findVisibleJob, type VisibleJob } from '../jobs/read/job-visibility'
import { resultKey } from '../results/name'
import { artifactEntries } from './download-artifacts'

/**
 * Streams the result files and artifacts of several jobs as one tar archive, with a directory for each job. Jobs that have
 * none are left out. @throws 404 if the actor may not see one of them, 409 if none has a file.
 */
export async function downloadFilesOfJobs(actor: Actor, ids: readonly string[]): Promise<Response> {
  const entries: TarEntry[] = []
  const jobs: VisibleJob[] = []
  for (const id of ids) {
    const job = await findVisibleJob(actor, id)
    jobs.push(job)
    entries.push(...inDirectory(job.id, await filesOfJob(job)))
  }
  if (entries.length === 0)
    throw conflict('These jobs have no files: they have not ended, or their files were deleted.')
  const mayRead = async () => {
    for (const job of jobs) if (!(await job.mayRead())) return false
    return true
  }
  return contentDisposition(tarOf(entries), { name: 'jobs.tar', type: 'application/x-tar', mayRead })
}

interface ResultRow {
  name: string
  bytes: number
  stored_at: Date
}

/** Finds those of some jobs that have files now. */
export async function findJobsWithFiles(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await database().pool.query<{ id: string }>(
    `SELECT j.id FROM jobs j WHERE j.id = ANY ($1::uuid[]) AND j.files_deleted IS NULL
        AND (EXISTS (SELECT 1 FROM result_files f WHERE f.job_id = j.id AND f.stored_at IS NOT NULL AND f.bytes IS NOT NULL)
          OR EXISTS (SELECT 1 FROM artifacts a WHERE a.job_id = j.id AND a.attempt = j.attempt))`,
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The files as those of a directory in an archive. */
export const inDirectory = (directory: string, files: readonly TarEntry[]): TarEntry[] =>
  files.map((file) => ({ ...file, path: `${directory}/${file.path}` }))

/** The result file and the artifacts of a job as the files of an archive. A job that has not ended has none. */
export async function filesOfJob(job: VisibleJob): Promise<TarEntry[]> {
  if (job.files_deleted !== null) return []
  const { rows } = await database().pool.query<ResultRow>(
    'SELECT name, bytes, stored_at FROM result_files WHERE job_id = $1 AND stored_at IS NOT NULL AND bytes IS NOT NULL',
    [job.id],
  )
  const results = rows.map(
    ({ name, bytes, stored_at }): TarEntry => ({
      path: 'output.jsonl',
      bytes,
      modified: stored_at,
      open: async () => (await openFile(job.id, resultKey(name))).stream,
    }),
  )
  const artifacts = (await artifactEntries(job)).map((entry) => ({ ...entry, path: `results/${entry.path}` }))
  return [...results, ...artifacts]
}
