import { getUser } from '@/lib/access/users/users'
import { userOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(userOperations.me, ({ actor }) => getUser(actor, actor.handle))
