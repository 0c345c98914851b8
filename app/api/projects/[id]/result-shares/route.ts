import { resultOperations } from '@/lib/contract/operations/results'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'
import { createResultShare } from '@/lib/jobs/results/result-shares'

export const POST = route(resultOperations.share, async ({ actor, params, body, request }) =>
  createResultShare(actor, params.id, await body(), siteOrigin(request)),
)
