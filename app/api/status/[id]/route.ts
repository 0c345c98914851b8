import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { withAdvice } from '@/lib/jobs/read/advice'
import { requireUserId } from '@/lib/jobs/read/job-visibility'
import { readJob } from '@/lib/jobs/read/read'
import { readerOf } from '@/lib/jobs/read/reader-of'
import { withExpectation } from '@/lib/queue/expectations'
import { withPredictedTime } from '@/lib/queue/predicted-time'

export const GET = route(jobOperations.get, async ({ request, query, params, actor }) => {
  requireUserId(actor, query.user_id)
  const job = await withAdvice(actor, readerOf(actor, request), await readJob(actor, params.id))
  return withPredictedTime(await withExpectation(job))
})
