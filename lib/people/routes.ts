import { siteOrigin } from '../http/origin'
import { route } from '../http/route'
import { createTokens } from './create-tokens'
import { importUsers } from './import-users'
import { importOperations, tokenBatchOperations } from './operations'

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
