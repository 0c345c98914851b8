import { database } from '../../database/client'
import { explainRunSql } from '../../jobs/state/explain'
import type { Lease } from '../nodes/nodes'
import { type ClaimedTask, taskHeld, writeTask } from './tasks'

/**
 * Records that the container of a task is paused because Slurm suspended its job; its GPUs do not count as idle meanwhile.
 * The job gets the reason. Idempotent. Call it before the container is paused, so that no pause is forgotten.
 * @throws {Fenced}
 */
export async function recordPause(lease: Lease, task: ClaimedTask): Promise<void> {
  await writeTask(database().pool, lease, task.id, {
    name: 'record-pause',
    // The job is locked before the task, as everywhere.
    text: `WITH job AS (SELECT id FROM jobs WHERE id = $4 FOR UPDATE
           ), task AS (
             UPDATE tasks SET paused_at = coalesce(paused_at, now()), gpu_idle_since = NULL FROM job
              WHERE ${taskHeld} AND job_id = job.id RETURNING job_id, attempt
           ) ${explainRunSql("'slurm_suspended'")}`,
    values: [task.jobId],
  })
}

/**
 * Records that the container of a task runs again. The job loses the reason when none of its tasks is paused. Idempotent.
 * @throws {Fenced}
 */
export async function recordResume(lease: Lease, task: ClaimedTask): Promise<void> {
  await writeTask(database().pool, lease, task.id, {
    name: 'record-resume',
    text: `WITH job AS (SELECT id FROM jobs WHERE id = $4 FOR UPDATE
           ), task AS (
             UPDATE tasks SET paused_at = NULL,
                    paused_seconds = paused_seconds + greatest(0, coalesce(extract(epoch FROM now() - paused_at), 0)) FROM job
              WHERE ${taskHeld} AND job_id = job.id RETURNING tasks.id, job_id, attempt
           ) ${explainRunSql(`CASE WHEN EXISTS (
               SELECT 1 FROM tasks p WHERE p.job_id = task.job_id AND p.attempt = task.attempt AND p.id <> task.id
                  AND p.paused_at IS NOT NULL AND p.status IN ('starting', 'running')) THEN jobs.reason END`)}`,
    values: [task.jobId],
  })
}
