import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { listSourceFiles } from '@/lib/jobs/downloads/source-files'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(jobOperations.files, async ({ actor, params }) =>
  listSourceFiles(await findVisibleJob(actor, params.id)),
)
