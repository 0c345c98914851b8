import { prioritySchema } from '@/lib/cluster/queue-schemas'
import { readJson, route } from '@/lib/http/route'
import { readQueueJob } from '@/lib/jobs/queue-list'
import { setPriority } from '@/lib/jobs/queue-priority'
import { findVisibleJob } from '@/lib/jobs/visible'

/** Changes a waiting job's priority. */
export const PATCH = route<{ id: string }>('submit', async ({ actor, request, params }) => {
  await findVisibleJob(actor, params.id)
  const { priority } = await readJson(request, prioritySchema)
  await setPriority(actor, params.id, priority)
  return Response.json(await readQueueJob(actor, params.id))
})
