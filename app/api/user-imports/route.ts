import { importUsers } from '@/lib/access/users/import/import-users'
import { userOperations } from '@/lib/contract/operations/access'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'

export const POST = route(userOperations.import, async ({ actor, body, request }) =>
  importUsers(actor, await body(), siteOrigin(request)),
)
