import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { downloadSourceFile } from '@/lib/jobs/downloads/source-files'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(jobOperations.fileContent, async ({ actor, params, query, request }) =>
  downloadSourceFile(await findVisibleJob(actor, params.id), query.path, request.headers),
)
