import { answerMessage } from '@/lib/agents/server'
import { agentOperations } from '@/lib/contract/operations/server'
import { requireSameOrigin, siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'

/** The tools of agents, over the Model Context Protocol. One message per request. Each tool requires its own scope. */
export const POST = route(agentOperations.message, async ({ actor, request, body }) => {
  // A page of another site must not call tools, even with a valid token.
  requireSameOrigin(request)
  return answerMessage(request, await body(), { actor, origin: siteOrigin(request), signal: request.signal })
})
