import { updateUser } from '@/lib/access/users/update-user'
import { getUser } from '@/lib/access/users/users'
import { updateUserSchema } from '@/lib/contract/access'
import { readJson, route } from '@/lib/http/route'
import { siteOrigin } from '@/lib/http/site-origin'

type Params = { handle: string }

export const GET = route<Params>('read', async ({ actor, params }) =>
  Response.json(await getUser(actor, params.handle)),
)

export const PATCH = route<Params>('admin', async ({ actor, request, params }) => {
  const changes = await readJson(request, updateUserSchema)
  const user = await updateUser(actor, params.handle, changes, siteOrigin(request))
  return Response.json(user, { headers: { 'cache-control': 'no-store' } })
})
