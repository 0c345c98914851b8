import { requireSameOrigin, siteOrigin } from '../http/origin'
import { route } from '../http/route'
import { agentOperations } from './operations'
import { answerMessage } from './server'

export const agentRoutes = {
  /** The tools of agents, over the Model Context Protocol. One message per request. Each tool requires its own scope. */
  message: route(agentOperations.message, async ({ actor, request, body }) => {
    // A page of another site must not call tools, even with a valid token.
    requireSameOrigin(request)
    return answerMessage(request, await body(), {
      actor,
      origin: siteOrigin(request),
      signal: request.signal,
    })
  }),
}
