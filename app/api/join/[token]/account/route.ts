import { clientAddress } from '@/lib/access/client-address'
import { joinWithAccount } from '@/lib/access/projects/join-project'
import { joinLinkOperations } from '@/lib/contract/operations/join-links'
import { route } from '@/lib/http/route'

/** Public, because the link proves the right. */
export const POST = route(joinLinkOperations.createAccount, ({ params, body, request }) =>
  joinWithAccount(params.token, body, clientAddress(request.headers)),
)
