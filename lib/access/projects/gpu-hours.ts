/**
 * SQL for the GPU hours of a project, including running jobs: whole GPUs times hours held. A container that could
 * not be killed counts until it is gone. No part is negative if the clock stepped back.
 */
export const gpuHoursOf = (projectId: string) => `
  (SELECT coalesce(sum(a.milli / 1000.0 * greatest(extract(epoch FROM coalesce(a.released_at, now()) - a.created_at), 0)) / 3600, 0)::float8
     FROM jobs hj JOIN tasks ht ON ht.job_id = hj.id JOIN allocations a ON a.task_id = ht.id
    WHERE hj.project_id = ${projectId})`
