/**
 * SQL for whose turn it is among waiting jobs, the first one first, as `lib/scheduling` has it: what waited long enough
 * comes before what is more urgent or shorter, so that a query which looks at a part of the queue never leaves out a job
 * for good. Under fair_share it is the order within one user's jobs.
 *
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
