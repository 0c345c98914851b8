import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { downloadFilesOfJobs } from '@/lib/jobs/downloads/files-of-jobs'

export const GET = route(jobOperations.filesOfJobs, ({ actor, query }) =>
  downloadFilesOfJobs(actor, query.ids),
)
