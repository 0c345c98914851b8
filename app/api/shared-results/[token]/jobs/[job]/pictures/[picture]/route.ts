import { clientAddress } from '@/lib/access/client-address'
import { resultOperations } from '@/lib/contract/operations/results'
import { route } from '@/lib/http/route'
import { sharedPicture } from '@/lib/jobs/results/shared-results'

/** Public, because the token of the link proves the right. */
export const GET = route(resultOperations.sharedPicture, ({ params, request }) =>
  sharedPicture(params.token, params, clientAddress(request.headers), request.headers),
)
