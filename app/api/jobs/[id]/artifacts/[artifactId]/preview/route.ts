import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { previewArtifact } from '@/lib/jobs/downloads/artifact-preview'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(artifactOperations.artifactPreview, async ({ params, actor }) =>
  previewArtifact(await findVisibleJob(actor, params.id), params.artifactId),
)
