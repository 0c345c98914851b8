import { timeLimit } from '@/lib/async/time-limit'
import { queueOperations } from '@/lib/contract/operations/queue'
import { route } from '@/lib/http/route'
import { cancelJob } from '@/lib/jobs/lifecycle/cancel'
import { waitUntilFinal } from '@/lib/jobs/live/wait'
import { readQueueJob } from '@/lib/queue/list'

/** Most jobs end on SIGTERM within this time. The answer then has the final status. */
const answerWithinMs = 3_000

export const GET = route(queueOperations.get, ({ actor, params }) => readQueueJob(actor, params.id))

export const DELETE = route(queueOperations.cancel, async ({ actor, request, params }) => {
  await cancelJob(actor, params.id)
  await waitUntilFinal(params.id, timeLimit(answerWithinMs, request.signal))
  return readQueueJob(actor, params.id)
})
