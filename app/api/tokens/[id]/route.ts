import { revokeToken } from '@/lib/access/tokens/tokens'
import { route } from '@/lib/http/route'

export const DELETE = route<{ id: string }>('submit', async ({ actor, params }) => {
  await revokeToken(actor, params.id)
  return new Response(null, { status: 204 })
})
