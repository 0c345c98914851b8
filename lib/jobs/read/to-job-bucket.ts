import type { JobBucket } from '../../contract/job-bucket'

/** The columns of the copy of a job's results. */
export interface UploadRow {
  completed_at: Date | null
  /** Null if the project of the job had no bucket. */
  upload_url: string | null
  upload_attempts: number | null
  upload_next_try_at: Date | null
  upload_settled_at: Date | null
  upload_problem: string | null
}

/** The object with the final log, below the URL of a job's objects. */
export const finalLogName = 'log.txt'

/** Returns the state of the copy of a job's results. */
export function toJobBucket(row: UploadRow): JobBucket | null {
  const { upload_url: url, upload_problem: problem, upload_settled_at: settledAt } = row
  if (url === null) return null
  const attempts = row.upload_attempts ?? 0
  const copy = {
    url,
    log_url: `${url}/${finalLogName}`,
    attempts,
    problem,
    next_try_at: null,
    stored_at: null,
  }
  if (settledAt !== null && problem === null)
    return { ...copy, state: 'stored', stored_at: settledAt.toISOString() }
  if (settledAt !== null) return { ...copy, state: 'lost' }
  if (row.completed_at === null) return { ...copy, state: 'waiting' }
  return { ...copy, state: 'storing', next_try_at: row.upload_next_try_at?.toISOString() ?? null }
}
