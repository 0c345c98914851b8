import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { compareSourceFiles } from '@/lib/jobs/downloads/source-files'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(jobOperations.fileChanges, async ({ actor, params, query }) => {
  const [before, after] = [await findVisibleJob(actor, query.since), await findVisibleJob(actor, params.id)]
  return compareSourceFiles(before, after, query.limit)
})
