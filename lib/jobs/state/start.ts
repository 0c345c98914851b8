import { notifyWatchers } from './announce'

/** SQL condition: the row `task`, with job_id and attempt, belongs to the live attempt of its job. */
export const ofLiveAttempt = `jobs.id = task.job_id AND jobs.attempt = task.attempt AND jobs.status IN ('scheduled', 'running')`

/**
 * SQL that marks the job of the row `task` as running, as the last part of the statement that records the start of the task under
 * its lease. Repeating it changes nothing.
 * @param imageDigest SQL; null keeps the stored one.
 */
export const startJobSql = (imageDigest: string) => `
  UPDATE jobs SET status = 'running', started_at = coalesce(jobs.started_at, task.started_at),
                  image_digest = coalesce(${imageDigest}, image_digest)
    FROM task WHERE ${ofLiveAttempt} RETURNING ${notifyWatchers('jobs.id')}`
