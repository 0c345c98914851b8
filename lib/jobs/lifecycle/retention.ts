import { deleteOldAuditEvents } from '../../access/audit'
import { deleteExpiredInvitations } from '../../access/projects/project-invitations'
import { retentionCutoffOf, retentionDaysOf } from '../../access/retention'
import { deleteEndedSessions } from '../../access/sessions/sessions'
import { deleteOldThrottles } from '../../access/sessions/sign-in-throttle'
import { database } from '../../database/client'
import { logger } from '../../logger'
import { storage } from '../../storage/storage'
import { deleteFiles } from './delete-files'

/** No upload pauses this long, so an older part belongs to a writer that died. */
const leftoverMs = 60 * 60_000

/**
 * Deletes ended sessions, old counts of wrong passwords, expired invitations to projects, old audit events, idempotency keys after a day, incomplete files of writers that died, and the files of jobs after the retention of their projects, or
 * after the default one.
 */
export async function deleteExpired(now: Date): Promise<void> {
  await database().pool.query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'")
  await deleteEndedSessions()
  await deleteOldThrottles()
  await deleteExpiredInvitations()
  await deleteOldAuditEvents()
  await deleteOldFiles()
  await storage().removeLeftovers(new Date(now.getTime() - leftoverMs))
}

/** Jobs per sweep. The first sweep may find years of jobs, and the leader has other work. */
const jobsPerSweep = 200

interface OldJob {
  id: string
  days: number | null
  resultName: string | null
}

/**
 * Deletes results and artifacts after their retention, and finishes interrupted deletions. Keeps files that are not in the
 * bucket of their project yet.
 */
export async function deleteOldFiles(): Promise<void> {
  for (const job of await oldJobs()) {
    try {
      await deleteFiles(job, job.days)
    } catch (error) {
      logger.error(
        { err: error, job: job.id },
        'could not delete the old files of a job; the next sweep tries again',
      )
    }
  }
}

async function oldJobs(): Promise<OldJob[]> {
  const { rows } = await database().pool.query<OldJob>(
    `(SELECT j.id, j.deleted_after_days AS days, f.name AS "resultName"
        FROM result_files f JOIN jobs j ON j.id = f.job_id AND j.files_deleted IS NOT NULL
       LIMIT $1)
     UNION ALL
     (SELECT j.id, ${retentionDaysOf('p')} AS days, f.name AS "resultName"
        FROM (SELECT *, ${retentionCutoffOf('projects')} AS cutoff FROM projects) p
        JOIN jobs j ON j.project_id = p.id AND j.result_stored AND j.files_deleted IS NULL AND j.ended_at < p.cutoff
         AND NOT EXISTS (SELECT 1 FROM job_uploads u WHERE u.job_id = j.id AND u.settled_at IS NULL)
        LEFT JOIN result_files f ON f.job_id = j.id
       ORDER BY j.ended_at LIMIT $1)`,
    [jobsPerSweep],
  )
  return rows
}
