import { revokeJoinLink } from '@/lib/access/projects/join-links'
import { joinLinkOperations } from '@/lib/contract/operations/join-links'
import { route } from '@/lib/http/route'

export const DELETE = route(joinLinkOperations.revoke, ({ actor, params }) =>
  revokeJoinLink(actor, params.id, params.linkId),
)
