import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { downloadMetrics } from '@/lib/jobs/read/metrics'

export const GET = route(jobOperations.metricsCsv, ({ actor, params, query }) =>
  downloadMetrics(actor, params.id, query),
)
