import { acceptInvitation } from '@/lib/access/users/invitations'
import { acceptInvitationSchema } from '@/lib/contract/access'
import { readJson, route } from '@/lib/http/route'

/** Whoever holds the link: the invitation itself is what proves the right. */
export const POST = route('public', async ({ request }) => {
  const { token, password } = await readJson(request, acceptInvitationSchema)
  return Response.json({ user_id: await acceptInvitation(token, password) })
})
