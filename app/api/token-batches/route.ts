import { createTokens } from '@/lib/access/tokens/create-tokens'
import { tokenBatchOperations } from '@/lib/contract/operations/people'
import { route } from '@/lib/http/route'

export const POST = route(tokenBatchOperations.createMany, async ({ actor, body }) =>
  createTokens(actor, await body()),
)
