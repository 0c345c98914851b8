import { createUser, listUsers } from '@/lib/access/users/users'
import { createUserSchema, listUsersSchema } from '@/lib/contract/access'
import { pageResponse } from '@/lib/http/pagination'
import { readJson, readQuery, route } from '@/lib/http/route'
import { siteOrigin } from '@/lib/http/site-origin'

export const GET = route('admin', async ({ actor, request, url }) =>
  pageResponse(request, await listUsers(actor, readQuery(url, listUsersSchema))),
)

export const POST = route('admin', async ({ actor, request }) => {
  const input = await readJson(request, createUserSchema)
  const user = await createUser(actor, input, siteOrigin(request))
  return Response.json(user, {
    status: 201,
    headers: { location: `/api/users/${user.user_id}`, 'cache-control': 'no-store' },
  })
})
