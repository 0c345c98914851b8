import { z } from 'zod'
import { answerMessage } from '@/lib/agents/server'
import { requireSameOrigin } from '@/lib/http/origin'
import { readJson, route } from '@/lib/http/route'
import { siteOrigin } from '@/lib/http/site-origin'

/** The tools of agents, over the Model Context Protocol. One message a request; each tool asks for its own scope. */
export const POST = route('token', async ({ actor, request }) => {
  // A page that another site shows has no business here, whatever token it holds.
  requireSameOrigin(request)
  const message = await readJson(request, z.looseObject({}))
  return answerMessage(request, message, { actor, origin: siteOrigin(request), signal: request.signal })
})
