import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { downloadSharedMetrics } from '@/lib/jobs/shares/shared-parts'

/** Public, because the token of the link proves the right. */
export const GET = route(shareOperations.metricsCsv, ({ params, query, request }) =>
  downloadSharedMetrics(params.token, query, request),
)
