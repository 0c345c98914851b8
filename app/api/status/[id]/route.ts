import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { requireUserId } from '@/lib/jobs/read/job-visibility'
import { readJob } from '@/lib/jobs/read/read'
import { withExpectation } from '@/lib/queue/expectations'
import { withPredictedTime } from '@/lib/queue/predicted-time'

export const GET = route(jobOperations.get, async ({ query, params, actor }) => {
  requireUserId(actor, query.user_id)
  return withPredictedTime(await withExpectation(await readJob(actor, params.id)))
})
