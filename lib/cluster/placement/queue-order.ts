import { cannotStart } from '../../contract/reasons'

/**
 * Returns the SQL sort keys of waiting jobs, in the same order as `lib/scheduling`. Waiting time eventually
 * outweighs priority and duration, so a query over a part of the queue never leaves out a job forever. Under
 * fair_share this is the order of one user's jobs.
 * @param job alias of the job's row.
 * @param policy alias of the policy's row.
 */
export function queueOrder(job: string, policy: string): string {
  const ageingS = `60 * ${policy}.ageing_minutes`
  return `(coalesce(${job}.spec->>'pool', '') = 'best-effort'),
    date_part('epoch', ${job}.created_at) + CASE ${policy}.scheduling
      WHEN 'fcfs' THEN 0
      WHEN 'sjf' THEN ${ageingS} * ln(greatest(1, ${job}.expected_time_s)) / ln(2::float8)
      ELSE -${ageingS} * ${job}.priority END,
    ${job}.id`
}

/**
 * Whether a waiting job has a place in the queue: it is not held, does not wait for other jobs, and could start as it is (`isStuck`).
 * @param job alias of `jobs`
 */
export const hasPlace = (job: string) =>
  `(NOT ${job}.held AND (${job}.reason = 'never_fits' OR starts_with(${job}.reason_detail, '${cannotStart}')) IS NOT TRUE)`
