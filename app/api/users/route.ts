import { createUser, listUsers } from '@/lib/access/users/users'
import { userOperations } from '@/lib/contract/operations/access'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'

export const GET = route(userOperations.list, ({ actor, query }) => listUsers(actor, query))

export const POST = route(userOperations.create, async ({ actor, request, body, answer }) => {
  const user = await createUser(actor, await body(), siteOrigin(request))
  return answer(user, { headers: { location: `/api/users/${user.user_id}` } })
})
