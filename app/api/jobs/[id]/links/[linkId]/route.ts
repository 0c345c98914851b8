import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { revokeLink } from '@/lib/jobs/downloads/download-links'
import { findChangeableJob } from '@/lib/jobs/read/job-visibility'

export const DELETE = route(artifactOperations.revokeLink, async ({ params, actor }) =>
  revokeLink(actor, await findChangeableJob(actor, params.id), params.linkId),
)
