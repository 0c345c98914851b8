import { route } from '@/lib/http/route'
import { downloadArtifacts } from '@/lib/jobs/downloads/artifacts'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

/** All files that a job left in /results, as one archive. */
export const GET = route<{ id: string }>('read', async ({ params, actor }) => {
  return downloadArtifacts(await findVisibleJob(actor, params.id))
})
