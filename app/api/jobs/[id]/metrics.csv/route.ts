import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { downloadMetrics } from '@/lib/jobs/read/metrics'
import { readerOf } from '@/lib/jobs/read/reader-of'

export const GET = route(jobOperations.metricsCsv, async ({ actor, params, query, request }) => {
  const job = await findVisibleJob(actor, params.id)
  return downloadMetrics(readerOf(actor, request), job, query, { name: `${job.id}.csv` })
})
