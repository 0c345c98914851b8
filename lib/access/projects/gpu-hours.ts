/**
 * SQL for the GPU hours of allocations: whole GPUs times hours held. A container that could not be killed counts until it is gone.
 * No part is negative if the clock stepped back.
 * @param since SQL of the time from which on they count.
 * @param condition SQL for which of them count.
 */
export const allocatedHours = (allocation: string, since: string, condition = 'true') =>
  `coalesce(sum(${allocation}.milli / 1000.0 * greatest(extract(epoch FROM coalesce(${allocation}.released_at, now()) - greatest(${allocation}.created_at, ${since})), 0)) FILTER (WHERE ${condition}) / 3600, 0)::float8`

/** SQL of the time from which on all GPU hours count. */
export const always = `'-infinity'::timestamptz`

/** SQL for the GPU hours of a project, including running jobs. */
export const gpuHoursOf = (projectId: string) => `
  (SELECT ${allocatedHours('a', always)}
     FROM jobs hj JOIN tasks ht ON ht.job_id = hj.id JOIN allocations a ON a.task_id = ht.id
    WHERE hj.project_id = ${projectId})`
