import { getUser } from '@/lib/access/users/users'
import { route } from '@/lib/http/route'

export const GET = route('read', async ({ actor }) => Response.json(await getUser(actor, actor.handle)))
