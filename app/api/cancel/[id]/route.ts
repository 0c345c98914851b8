import { timeLimit } from '@/lib/async/time-limit'
import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { cancelJob } from '@/lib/jobs/lifecycle/cancel'
import { waitUntilFinal } from '@/lib/jobs/live/wait'
import { requireUserId } from '@/lib/jobs/read/job-visibility'
import { readJob } from '@/lib/jobs/read/read'

/** Most jobs end on SIGTERM within this time. The answer then has the final status. */
const answerWithinMs = 3_000

export const POST = route(jobOperations.cancel, async ({ request, query, params, actor }) => {
  requireUserId(actor, query.user_id)
  await cancelJob(actor, params.id)
  await waitUntilFinal(params.id, timeLimit(answerWithinMs, request.signal))
  return readJob(actor, params.id)
})
