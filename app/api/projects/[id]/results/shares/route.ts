import { findVisible } from '@/lib/access/projects/projects'
import { resultOperations } from '@/lib/contract/operations/results'
import { database } from '@/lib/database/client'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'
import { createResultShare } from '@/lib/jobs/results/result-shares'

export const POST = route(resultOperations.share, async ({ actor, params, body, request }) => {
  const project = await findVisible(database().pool, actor, params.id)
  return createResultShare(actor, project, await body(), siteOrigin(request))
})
