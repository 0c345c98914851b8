import { artifactQuerySchema } from '@/lib/contract/artifacts'
import { readQuery, route } from '@/lib/http/route'
import { downloadArtifact } from '@/lib/jobs/downloads/artifacts'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

/** One file that a job left in /results, to save. */
export const GET = route<{ id: string; artifactId: string }>('read', async ({ url, params, actor }) => {
  const { as } = readQuery(url, artifactQuerySchema)
  return downloadArtifact(await findVisibleJob(actor, params.id), params.artifactId, as)
})
