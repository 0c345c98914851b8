import { revokeToken } from '@/lib/access/tokens/tokens'
import { tokenOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const DELETE = route(tokenOperations.revoke, ({ actor, params }) => revokeToken(actor, params.id))
