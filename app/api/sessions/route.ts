import { deletedSessionCookie } from '@/lib/access/sessions/session-cookie'
import { endSessions, listSessions } from '@/lib/access/sessions/sessions'
import { sessionOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(sessionOperations.list, ({ actor }) => listSessions(actor))

/** The browser that ends its own session also loses the cookie. */
export const DELETE = route(sessionOperations.endAll, async ({ actor, query }) => {
  await endSessions(actor, { keepCurrent: query.keep_current })
  const headers = new Headers()
  if (actor.via === 'session' && !query.keep_current) headers.set('set-cookie', deletedSessionCookie())
  return new Response(null, { status: 204, headers })
})
