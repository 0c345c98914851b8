import { readQuery, route } from '@/lib/http/route'
import { readJob } from '@/lib/jobs/read'
import { jobQuerySchema } from '@/lib/jobs/schemas'
import { requireUserId } from '@/lib/jobs/visible'

/** Where one job is, and why. */
export const GET = route<{ id: string }>('read', async ({ url, params, actor }) => {
  requireUserId(actor, readQuery(url, jobQuerySchema).user_id)
  return Response.json(await readJob(actor, params.id))
})
