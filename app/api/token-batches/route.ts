import { createTokens } from '@/lib/access/tokens/create-tokens'
import { tokenOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const POST = route(tokenOperations.createMany, async ({ actor, body }) =>
  createTokens(actor, await body()),
)
