import { prioritySchema } from '@/lib/contract/queue'
import { readJson, route } from '@/lib/http/route'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { readQueueJob } from '@/lib/queue/list'
import { setPriority } from '@/lib/queue/priority'

/** Changes a waiting job's priority. */
export const PATCH = route<{ id: string }>('submit', async ({ actor, request, params }) => {
  await findVisibleJob(actor, params.id)
  const { priority } = await readJson(request, prioritySchema)
  await setPriority(actor, params.id, priority)
  return Response.json(await readQueueJob(actor, params.id))
})
