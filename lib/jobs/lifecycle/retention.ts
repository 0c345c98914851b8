import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import { logger } from '../../logger'
import { resultKey } from '../../results/name'
import { storage } from '../../storage/storage'

/** No upload rests this long; a part this old belongs to a writer that died. */
const leftoverMs = 60 * 60_000

/**
 * Deletes what has served its time: idempotency keys after a day, what writers that died left
 * half written, and the files of jobs that ended longer ago than their projects keep them.
 */
export async function deleteExpired(now: Date): Promise<void> {
  await database().pool.query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'")
  await deleteOldFiles()
  await storage().removeLeftovers(new Date(now.getTime() - leftoverMs))
}

/** Of a first sweep over years, so many jobs at a time: the leader has other work too. */
const mostAtOnce = 200

interface OldJob {
  id: string
  days: number
  resultName: string | null
}

/**
 * Deletes results and artifacts whose time is over: first the files, then what is known of them, in one step with the mark
 * that says why they are gone. A sweep that is cut short is done again.
 */
export async function deleteOldFiles(): Promise<void> {
  for (const job of await oldJobs()) {
    try {
      await deleteFiles(job)
    } catch (error) {
      logger.error({ err: error, job: job.id }, 'old files could not be deleted, they are tried again')
    }
  }
}

async function oldJobs(): Promise<OldJob[]> {
  const { rows } = await database().pool.query<OldJob>(
    `SELECT j.id, p.retention_days AS days, f.name AS "resultName"
       FROM projects p
       JOIN jobs j ON j.project_id = p.id AND j.result_stored AND j.deleted_after_days IS NULL
                  AND j.ended_at < now() - make_interval(days => p.retention_days)
       LEFT JOIN result_files f ON f.job_id = j.id
      WHERE p.retention_days IS NOT NULL ORDER BY j.ended_at LIMIT $1`,
    [mostAtOnce],
  )
  return rows
}

async function deleteFiles({ id, days, resultName }: OldJob): Promise<void> {
  const store = storage()
  if (resultName !== null) await store.remove(resultKey(resultName))
  // All that lies there, of every attempt, and what was stored and never recorded.
  for await (const { key } of store.list(`artifacts/${id}`)) await store.remove(key)
  await transaction(async (tx) => {
    await tx.query('UPDATE jobs SET deleted_after_days = $2 WHERE id = $1', [id, days])
    await tx.query('DELETE FROM artifacts WHERE job_id = $1', [id])
    await tx.query('DELETE FROM result_files WHERE job_id = $1', [id])
  })
}
