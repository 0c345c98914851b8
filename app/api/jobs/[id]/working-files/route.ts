import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { listWorkingFiles } from '@/lib/jobs/downloads/working-files'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(artifactOperations.workingFiles, async ({ query, params, actor }) =>
  listWorkingFiles(await findVisibleJob(actor, params.id), query.after),
)
