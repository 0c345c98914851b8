import { clientAddress } from '@/lib/access/client-address'
import { resultOperations } from '@/lib/contract/operations/results'
import { route } from '@/lib/http/route'
import { readSharedResults } from '@/lib/jobs/results/shared-results'

/** Public, because the token of the link proves the right. */
export const GET = route(resultOperations.shared, ({ params, request }) =>
  readSharedResults(params.token, clientAddress(request.headers)),
)
