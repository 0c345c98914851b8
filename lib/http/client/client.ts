import type { AccountingQuery } from '../../contract/cluster/accounting'
import type { JobFilters } from '../../contract/job-queries'
import { operations } from '../../contract/operations/operations'
import { addressOf, createJobsClient } from './jobs-client'
import { createMethods } from './methods'
import type { ClientOptions } from './transport'

export type { Submission } from './jobs-client'
export type JobQuery = Partial<JobFilters>
export type AccountingRequest = Partial<AccountingQuery>

/**
 * gpuq's API, typed, for the browser and for Node: a method for each operation, and a few that need more than JSON.
 * Every method throws a `ProblemError` when gpuq refuses or does not answer.
 */
export function createClient(options: ClientOptions = {}) {
  const { transport, jobs } = createJobsClient(options)
  const methods = createMethods(transport, operations)
  return {
    ...methods,
    jobs,
    snapshots: {
      ...methods.snapshots,
      /** Where a snapshot can be downloaded as one archive. */
      downloadUrl: (id: string) => addressOf(transport, operations.snapshots.download, id),
    },
    accounting: {
      ...methods.accounting,
      /** Where all rows can be downloaded as CSV. */
      csvUrl: (query: AccountingRequest) => addressOf(transport, operations.accounting.csv, query),
    },
    transport,
  }
}

export type Client = ReturnType<typeof createClient>
