import { createTokens } from '../../access/tokens/create-tokens'
import { importUsers } from '../../access/users/import/import-users'
import { importOperations, tokenBatchOperations } from '../../contract/operations/people'
import { siteOrigin } from '../../http/origin'
import { route } from '../../http/route'

export const importRoutes = {
  import: route(importOperations.import, async ({ actor, body, request }) =>
    importUsers(actor, await body(), siteOrigin(request)),
  ),
}

export const tokenBatchRoutes = {
  createMany: route(tokenBatchOperations.createMany, async ({ actor, body }) =>
    createTokens(actor, await body()),
  ),
}
