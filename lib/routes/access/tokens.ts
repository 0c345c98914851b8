import { createToken, listTokens, revokeToken } from '../../access/tokens/tokens'
import { tokenOperations } from '../../contract/operations/access'
import { route } from '../../http/route'

export const tokenRoutes = {
  list: route(tokenOperations.list, ({ actor, query }) => listTokens(actor, query)),

  create: route(tokenOperations.create, async ({ actor, body }) => createToken(actor, await body())),

  revoke: route(tokenOperations.revoke, ({ actor, params }) => revokeToken(actor, params.id)),
}
