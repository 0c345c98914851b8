import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { downloadWorkingFile } from '@/lib/jobs/downloads/working-files'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(artifactOperations.workingFile, async ({ params, actor, request }) =>
  downloadWorkingFile(await findVisibleJob(actor, params.id), params.fileId, request.headers),
)
