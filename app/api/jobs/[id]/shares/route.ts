import { shareOperations } from '@/lib/contract/operations/shares'
import { siteOrigin } from '@/lib/http/origin'
import { route } from '@/lib/http/route'
import { findChangeableJob } from '@/lib/jobs/read/job-visibility'
import { createShare, listShares } from '@/lib/jobs/shares/shares'

export const GET = route(shareOperations.list, async ({ actor, params }) =>
  listShares(await findChangeableJob(actor, params.id)),
)

export const POST = route(shareOperations.create, async ({ actor, params, body, request }) => {
  const job = await findChangeableJob(actor, params.id)
  return createShare(actor, job, await body(), siteOrigin(request))
})
