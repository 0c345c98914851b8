import { importUsers } from '@/lib/access/users/import/import-users'
import { importOperations } from '@/lib/contract/operations/people'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'

export const POST = route(importOperations.import, async ({ actor, body, request }) =>
  importUsers(actor, await body(), siteOrigin(request)),
)
