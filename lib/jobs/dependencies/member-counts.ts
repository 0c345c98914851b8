/** SQL that counts the members of a group. Here and not in the feature, because jobs can wait for groups. */

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

/** SQL for how many members of a group have ended. */
export const endedMembers = (group: string) =>
  `CASE WHEN ${group}.ended_at IS NOT NULL THEN ${group}.members ELSE ${group}.members - ${group}.held
          - (SELECT sum(live.value::int)::int FROM jsonb_each_text(${countsOf(group)}) AS live WHERE live.key IN ('held', 'paused', 'pending', 'running')) END`

/** SQL for whether a group has ended with success: nobody cancelled it, and each member completed or was stopped early by the rule of its group. */
export const hasSucceeded = (group: string) =>
  `CASE WHEN ${group}.ended_at IS NULL OR ${group}.cancelled_at IS NOT NULL OR (${group}.final_counts->>'failed')::int > 0 THEN false
        WHEN (${group}.final_counts->>'cancelled')::int = 0 THEN true
        ELSE (${group}.final_counts->>'cancelled')::int = (
          SELECT count(*) FROM group_members sm JOIN jobs sj ON sj.id = sm.job_id
           WHERE sm.group_id = ${group}.id AND sj.status = 'cancelled' AND sj.reason = 'stopped_early') END`

/** SQL for the status of a group. It can be `completed` with members that were cancelled one by one, which is no success for others. */
export const statusOf = (group: string) =>
  `CASE WHEN ${group}.ended_at IS NULL THEN 'running' WHEN ${group}.cancelled_at IS NOT NULL THEN 'cancelled'
        WHEN (${group}.final_counts->>'failed')::int > 0 THEN 'failed'
        WHEN (${group}.final_counts->>'completed')::int = 0 THEN 'cancelled' ELSE 'completed' END`
