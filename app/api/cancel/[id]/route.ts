import { jobQuerySchema } from '@/lib/contract/jobs'
import { readQuery, route } from '@/lib/http/route'
import { cancelJob } from '@/lib/jobs/lifecycle/cancel'
import { waitUntilFinal } from '@/lib/jobs/live/wait'
import { requireUserId } from '@/lib/jobs/read/job-visibility'
import { readJob } from '@/lib/jobs/read/read'

/** Most jobs end on SIGTERM within this time, and the answer can say so. */
const answerWithinMs = 3_000

/** Cancels a job, wherever it is. */
export const POST = route<{ id: string }>('submit', async ({ request, url, params, actor }) => {
  requireUserId(actor, readQuery(url, jobQuerySchema).user_id)
  await cancelJob(actor, params.id)
  await waitUntilFinal(params.id, AbortSignal.any([request.signal, AbortSignal.timeout(answerWithinMs)]))
  return Response.json(await readJob(actor, params.id))
})
