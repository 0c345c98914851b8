import { artifactOperations } from '@/lib/contract/operations/artifacts'
import { route } from '@/lib/http/route'
import { downloadArtifacts } from '@/lib/jobs/downloads/artifacts'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(artifactOperations.artifactArchive, async ({ params, actor }) => {
  const job = await findVisibleJob(actor, params.id)
  return downloadArtifacts(job, { name: `${job.id}.tar` })
})
