import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { readSharedMetrics } from '@/lib/jobs/shares/shared-parts'

/** Public, because the token of the link proves the right. */
export const GET = route(shareOperations.metrics, ({ params, query, request }) =>
  readSharedMetrics(params.token, query, request),
)
