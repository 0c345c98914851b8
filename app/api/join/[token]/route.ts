import { clientAddress } from '@/lib/access/client-address'
import { joinProject } from '@/lib/access/projects/join-project'
import { joinLinkOperations } from '@/lib/contract/operations/join-links'
import { route } from '@/lib/http/route'

export const POST = route(joinLinkOperations.join, ({ actor, params, body, request }) =>
  joinProject(actor, params.token, body, clientAddress(request.headers)),
)
