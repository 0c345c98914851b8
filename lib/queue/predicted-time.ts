import { readPolicy } from '../cluster/admin/policy'
import { readRunTimes } from '../cluster/placement/run-times'
import type { JobDetail } from '../contract/jobs'
import { database } from '../database/client'
import type { ProgramFacts } from '../scheduling/run-times/run-times'

/**
 * Adds the predicted run time to a job. Null if the job has ended, or the policy switches predictions off. As long as
 * gpuq knows too few jobs, the prediction is the estimate.
 */
export async function withPredictedTime<Job extends JobDetail>(
  job: Job,
): Promise<Job & Required<Pick<JobDetail, 'predicted_time'>>> {
  return { ...job, predicted_time: job.completed_at === null ? await predict(job) : null }
}

async function predict({ job_id }: JobDetail): Promise<NonNullable<JobDetail['predicted_time']> | null> {
  const [policy, runTimes, { rows }] = await Promise.all([
    readPolicy(),
    readRunTimes(),
    database().pool.query<ProgramFacts & { estimateMs: number; limitMs: number; elapsedMs: number }>({
      name: 'facts-for-prediction',
      text: `SELECT user_id AS "userId", project_id AS "projectId", name, encode(content_hash, 'hex') AS "contentHash",
                    expected_time_s * 1000 AS "estimateMs", time_limit_s::float8 * 1000 AS "limitMs",
                    coalesce(extract(epoch FROM now() - started_at) * 1000, 0)::float8 AS "elapsedMs"
               FROM jobs WHERE id = $1`,
      values: [job_id],
    }),
  ])
  const [facts] = rows
  if (!policy.predict_run_times || !facts) return null
  const { expectedMs, basis, jobs } = runTimes.predict(
    facts,
    facts.estimateMs,
    facts.limitMs,
    facts.elapsedMs,
  )
  return { seconds: expectedMs / 1000, basis, jobs }
}
