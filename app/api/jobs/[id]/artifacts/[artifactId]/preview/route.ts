import { route } from '@/lib/http/route'
import { previewArtifact } from '@/lib/jobs/downloads/artifacts'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

/** What can be shown of a file that a job left in /results. */
export const GET = route<{ id: string; artifactId: string }>('read', async ({ params, actor }) => {
  const preview = await previewArtifact(await findVisibleJob(actor, params.id), params.artifactId)
  return Response.json(preview, { headers: { 'cache-control': 'no-store' } })
})
