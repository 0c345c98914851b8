import { changeOwnPassword } from '@/lib/access/sessions/change-password'
import { signInClient } from '@/lib/access/sessions/session-client'
import { sessionCookie } from '@/lib/access/sessions/session-cookie'
import { userOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

/** Ends all other sessions of the user. The calling session continues with a new cookie. */
export const POST = route(userOperations.changePassword, async ({ actor, body, request }) => {
  const session = await changeOwnPassword(actor, await body(), signInClient(request.headers))
  const headers = new Headers()
  if (session) headers.set('set-cookie', await sessionCookie(session))
  return new Response(null, { status: 204, headers })
})
