import type { z } from 'zod'
import type { groupCountsSchema } from './contract'

export type GroupCounts = z.output<typeof groupCountsSchema>

/** SQL for whether the job `job` is a member that its group has paused. */
export const isPaused = (job: string) =>
  `(${job}.status = 'pending' AND ${job}.reason IS NOT DISTINCT FROM 'group_paused')`

/** SQL for where the members of a group are that are jobs of earlier waves: held by their own, or the status of the job. */
const existing = (group: string) =>
  `SELECT CASE WHEN ${isPaused('ej')} THEN 'paused' ELSE coalesce(ej.status::text, own.state::text) END AS status
     FROM group_members em JOIN group_members own ON own.job_id = em.job_id AND own.state <> 'existing' LEFT JOIN jobs ej ON ej.id = em.job_id
    WHERE em.group_id = ${group}.id AND em.state = 'existing'`

/** SQL for the number of members of a group in each status, as JSON. Those that it holds itself are not counted, and only failed jobs are replaced. */
export const countsOf = (group: string) =>
  `(SELECT jsonb_build_object('held', count(*) FILTER (WHERE gj.status = 'held'), 'paused', count(*) FILTER (WHERE gj.status = 'paused'), 'pending', count(*) FILTER (WHERE gj.status IN ('pending', 'scheduled')),
             'running', count(*) FILTER (WHERE gj.status = 'running'), 'completed', count(*) FILTER (WHERE gj.status = 'completed'),
             'failed', count(*) FILTER (WHERE gj.status = 'failed') - (SELECT count(*) FROM replaced_jobs gr WHERE gr.group_id = ${group}.id),
             'cancelled', count(*) FILTER (WHERE gj.status = 'cancelled'))
      FROM (SELECT oj.status::text AS status FROM jobs oj WHERE oj.group_id = ${group}.id AND oj.status <> 'pending'
            UNION ALL SELECT CASE WHEN ${isPaused('pj')} THEN 'paused' ELSE 'pending' END FROM jobs pj WHERE pj.group_id = ${group}.id AND pj.status = 'pending'
            UNION ALL ${existing(group)}) AS gj)`

/** SQL for whether all jobs of earlier waves have ended that are members of a group. */
export const existingEnded = (group: string) =>
  `NOT EXISTS (SELECT 1 FROM (${existing(group)}) AS ge WHERE ge.status IN ('held', 'paused', 'pending', 'scheduled', 'running'))`
