import { queueOperations } from '@/lib/contract/operations/queue'
import { route } from '@/lib/http/route'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { setHeld } from '@/lib/queue/hold'
import { readQueueJob } from '@/lib/queue/list'

export const PATCH = route(queueOperations.setHeld, async ({ actor, params, body }) => {
  await findVisibleJob(actor, params.id)
  const { held } = await body()
  await setHeld(actor, params.id, held)
  return readQueueJob(actor, params.id)
})
