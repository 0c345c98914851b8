/**
 * SQL for what jobs used between two times, by day (UTC), user, project and competition. GPU hours are those of the budgets of
 * projects (`gpuHoursOf`): allocated GPUs times the time until their release, or until now. A day gets the part that lies in it.
 * A task's load is the mean of its samples, which counts the same for all of its days. Jobs count on the day of their end.
 * The two selects of jobs together use the indexes of ended jobs, which a condition with three statuses does not.
 * @param from SQL of the first midnight.
 * @param to SQL of the midnight after the last day.
 */
export const dailyUsage = (from: string, to: string) => `
  SELECT day, user_id, project_id, competition_id, sum(completed)::int AS completed, sum(failed)::int AS failed,
         sum(cancelled)::int AS cancelled, sum(gpu_seconds) AS gpu_seconds,
         sum(measured_gpu_seconds) AS measured_gpu_seconds, sum(used_gpu_seconds) AS used_gpu_seconds,
         sum(cpu_seconds) AS cpu_seconds, coalesce(array_agg(wait) FILTER (WHERE wait IS NOT NULL), '{}') AS waits
    FROM (
      SELECT d.day, j.user_id, j.project_id, j.competition_id, 0 AS completed, 0 AS failed, 0 AS cancelled,
             d.seconds AS gpu_seconds, CASE WHEN t.gpu_load_mean IS NULL THEN 0 ELSE d.seconds END AS measured_gpu_seconds,
             coalesce(d.seconds * t.gpu_load_mean, 0) AS used_gpu_seconds, 0::float8 AS cpu_seconds, NULL::float8 AS wait
        FROM (
          SELECT (start AT TIME ZONE 'UTC')::date AS day, task_id,
                 sum(milli / 1000.0 * extract(epoch FROM least(till, start + interval '24 hours') - greatest(since, start)))::float8 AS seconds
            FROM (
              SELECT task_id, milli, created_at AS since, released_at AS till FROM allocations
               WHERE released_at > ${from} AND created_at < ${to}
              UNION ALL
              SELECT task_id, milli, created_at, now() FROM allocations
               WHERE released_at IS NULL AND created_at < least(${to}, now())
            ) held
            CROSS JOIN LATERAL generate_series(greatest(date_trunc('day', since, 'UTC'), ${from}),
                                               least(till, ${to} - interval '1 microsecond'), interval '24 hours') start
           WHERE till > start
           GROUP BY 1, 2
        ) d JOIN tasks t ON t.id = d.task_id JOIN jobs j ON j.id = t.job_id
      UNION ALL
      SELECT (ended_at AT TIME ZONE 'UTC')::date, user_id, project_id, competition_id, (status = 'completed')::int,
             (status = 'failed')::int, (status = 'cancelled')::int, 0, 0, 0,
             coalesce((SELECT sum(cpu_seconds) FROM tasks WHERE job_id = e.id), 0),
             CASE WHEN started_at IS NOT NULL THEN greatest(extract(epoch FROM started_at - created_at), 0)::float8 END
        FROM (
          SELECT * FROM jobs WHERE status = 'completed' AND ended_at >= ${from} AND ended_at < ${to}
          UNION ALL
          SELECT * FROM jobs WHERE status IN ('failed', 'cancelled') AND ended_at >= ${from} AND ended_at < ${to}
        ) e
    ) parts
   GROUP BY 1, 2, 3, 4`
