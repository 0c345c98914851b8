import { readQuery, route } from '@/lib/http/route'
import { cancelJob } from '@/lib/jobs/cancel'
import { readJob } from '@/lib/jobs/read'
import { jobQuerySchema } from '@/lib/jobs/schemas'
import { requireUserId } from '@/lib/jobs/visible'
import { waitUntilFinal } from '@/lib/jobs/wait'

/** Most jobs end on SIGTERM within this time, and the answer can say so. */
const answerWithinMs = 3_000

/** Cancels a job, wherever it is. */
export const POST = route<{ id: string }>('submit', async ({ request, url, params, actor }) => {
  requireUserId(actor, readQuery(url, jobQuerySchema).user_id)
  await cancelJob(actor, params.id)
  await waitUntilFinal(params.id, AbortSignal.any([request.signal, AbortSignal.timeout(answerWithinMs)]))
  return Response.json(await readJob(actor, params.id))
})
