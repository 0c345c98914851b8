import { createToken, listTokens } from '@/lib/access/tokens/tokens'
import { tokenOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(tokenOperations.list, ({ actor, query }) => listTokens(actor, query))

export const POST = route(tokenOperations.create, async ({ actor, body }) => createToken(actor, await body()))
