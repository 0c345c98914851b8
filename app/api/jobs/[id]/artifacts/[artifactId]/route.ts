import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { downloadArtifact } from '@/lib/jobs/downloads/download-artifact'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(artifactOperations.artifact, async ({ query, params, actor, request }) =>
  downloadArtifact(await findVisibleJob(actor, params.id), params.artifactId, query.as, request.headers),
)
