import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { readJobMetrics } from '@/lib/jobs/read/metrics'

export const GET = route(jobOperations.metrics, async ({ actor, params, query }) =>
  readJobMetrics(actor.userId, await findVisibleJob(actor, params.id), query),
)
