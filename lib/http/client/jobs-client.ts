import { jobGroup } from '../../contract/operations/job-group'
import { buildClient, type Client } from './build-client'
import { checkedAnswers } from './checked-answers'
import { type ClientOptions, createTransport } from './transport'

/** The part of the client for jobs. */
export type JobsClient = Pick<Client, 'jobs' | 'transport'>

/**
 * Creates the part of the client for jobs, for programs. The schemas of all operations take longer to make than a short command
 * of the command line takes otherwise.
 */
export function createJobsClient(options: ClientOptions): JobsClient {
  const { jobs, transport } = buildClient(createTransport(options), checkedAnswers({ jobs: jobGroup }))
  return { jobs, transport }
}
