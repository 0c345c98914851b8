import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { downloadSharedOutput } from '@/lib/jobs/shares/shared-parts'

/** Public, because the token of the link proves the right. */
export const GET = route(shareOperations.output, ({ params, request }) =>
  downloadSharedOutput(params.token, request),
)
