import { jobQuerySchema } from '@/lib/contract/jobs'
import { readQuery, route } from '@/lib/http/route'
import { requireUserId } from '@/lib/jobs/read/job-visibility'
import { readJob } from '@/lib/jobs/read/read'

/** Where one job is, and why. */
export const GET = route<{ id: string }>('read', async ({ url, params, actor }) => {
  requireUserId(actor, readQuery(url, jobQuerySchema).user_id)
  return Response.json(await readJob(actor, params.id))
})
