import { queueOperations } from '@/lib/contract/operations/queue'
import { route } from '@/lib/http/route'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { readQueueJob } from '@/lib/queue/list'
import { setPriority } from '@/lib/queue/priority'

export const PATCH = route(queueOperations.setPriority, async ({ actor, params, body }) => {
  await findVisibleJob(actor, params.id)
  const { priority } = await body()
  await setPriority(actor, params.id, priority)
  return readQueueJob(actor, params.id)
})
