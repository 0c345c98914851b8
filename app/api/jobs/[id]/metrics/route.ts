import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { readJobMetrics } from '@/lib/jobs/read/metrics'

export const GET = route(jobOperations.metrics, ({ actor, params, query }) =>
  readJobMetrics(actor, params.id, query),
)
