import { updateUser } from '@/lib/access/users/update-user'
import { getUser } from '@/lib/access/users/users'
import { userOperations } from '@/lib/contract/operations/access'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'

export const GET = route(userOperations.get, ({ actor, params }) => getUser(actor, params.handle))

export const PATCH = route(userOperations.update, async ({ actor, request, params, body }) =>
  updateUser(actor, params.handle, await body(), siteOrigin(request)),
)
