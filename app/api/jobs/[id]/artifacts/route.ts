import { route } from '@/lib/http/route'
import { listArtifacts } from '@/lib/jobs/downloads/artifacts'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

/** The files that a job left in /results. */
export const GET = route<{ id: string }>('read', async ({ params, actor }) => {
  const job = await findVisibleJob(actor, params.id)
  return Response.json(await listArtifacts(job), { headers: { 'cache-control': 'no-store' } })
})
