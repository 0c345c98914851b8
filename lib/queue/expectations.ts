import { expectationOf } from '../cluster/placement/forecast'
import type { JobSummary } from '../contract/jobs'
import { toExpectedStart } from './expected-start'

type Expected<Job> = Job &
  Required<
    Pick<JobSummary, 'queue_position' | 'expected_start' | 'expected_start_range' | 'expected_start_text'>
  >

/** Adds the position in the queue and the expected start to jobs. Both are null for a job that does not wait. */
export function withExpectations<Job extends JobSummary>(jobs: readonly Job[]): Promise<Expected<Job>[]> {
  return Promise.all(jobs.map(withExpectation))
}

/** As {@link withExpectations}, for one job. */
export async function withExpectation<Job extends JobSummary>(job: Job): Promise<Expected<Job>> {
  const expected = job.status === 'pending' ? await expectationOf(job.job_id) : undefined
  return {
    ...job,
    queue_position: expected?.position ?? null,
    ...toExpectedStart(expected),
  }
}
