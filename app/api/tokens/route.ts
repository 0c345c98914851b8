import { createToken, listTokens } from '@/lib/access/tokens/tokens'
import { createTokenSchema, listTokensSchema } from '@/lib/contract/access'
import { pageResponse } from '@/lib/http/pagination'
import { readJson, readQuery, route } from '@/lib/http/route'

export const GET = route('read', async ({ actor, request, url }) =>
  pageResponse(request, await listTokens(actor, readQuery(url, listTokensSchema))),
)

export const POST = route('submit', async ({ actor, request }) => {
  const token = await createToken(actor, await readJson(request, createTokenSchema))
  return Response.json(token, { status: 201, headers: { 'cache-control': 'no-store' } })
})
