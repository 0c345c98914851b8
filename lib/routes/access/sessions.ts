import { deletedSessionCookie } from '../../access/sessions/session-cookie'
import { endSession, endSessions, listSessions } from '../../access/sessions/sessions'
import { sessionOperations } from '../../contract/operations/access'
import { route } from '../../http/route'

export const sessionRoutes = {
  list: route(sessionOperations.list, ({ actor }) => listSessions(actor)),

  /** The browser that ends its own session also loses the cookie. */
  endAll: route(sessionOperations.endAll, async ({ actor, query }) => {
    await endSessions(actor, { keepCurrent: query.keep_current })
    const headers = new Headers()
    if (actor.via === 'session' && !query.keep_current) headers.set('set-cookie', deletedSessionCookie())
    return new Response(null, { status: 204, headers })
  }),

  end: route(sessionOperations.end, ({ actor, params }) => endSession(actor, params.id)),
}
