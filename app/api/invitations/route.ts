import { acceptInvitation } from '@/lib/access/users/invitations'
import { userOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

/** Public, because the invitation proves the right. */
export const POST = route(userOperations.acceptInvitation, async ({ body }) => {
  const { token, password } = await body()
  return { user_id: await acceptInvitation(token, password) }
})
