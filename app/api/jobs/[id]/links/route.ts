import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { createLink, listLinks } from '@/lib/jobs/downloads/download-links'
import { findChangeableJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(artifactOperations.links, async ({ params, actor }) =>
  listLinks(await findChangeableJob(actor, params.id)),
)

export const POST = route(artifactOperations.link, async ({ params, actor, body }) => {
  const job = await findChangeableJob(actor, params.id)
  return createLink(actor, job, await body())
})
