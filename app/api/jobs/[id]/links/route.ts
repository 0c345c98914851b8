import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { createLink } from '@/lib/jobs/downloads/download-links'
import { findChangeableJob } from '@/lib/jobs/read/job-visibility'

export const POST = route(artifactOperations.link, async ({ params, actor, body }) => {
  const job = await findChangeableJob(actor, params.id)
  return createLink(actor, job, await body(), new Date())
})
