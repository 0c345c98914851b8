import { hostFilesOf } from '@/lib/access/users/host-files'
import { getUser } from '@/lib/access/users/users'
import { userOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(userOperations.me, async ({ actor }) => ({
  ...(await getUser(actor, actor.handle)),
  host_files: await hostFilesOf(actor),
}))
