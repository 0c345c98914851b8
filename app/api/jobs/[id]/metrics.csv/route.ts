import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { downloadMetrics } from '@/lib/jobs/read/metrics'
import { readerOf } from '@/lib/jobs/read/reader-of'

export const GET = route(jobOperations.metricsCsv, ({ actor, params, query, request }) =>
  downloadMetrics(actor, params.id, query, readerOf(actor, request)),
)
