import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { listArtifacts } from '@/lib/jobs/downloads/artifacts'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(artifactOperations.artifacts, async ({ params, actor }) =>
  listArtifacts(await findVisibleJob(actor, params.id)),
)
