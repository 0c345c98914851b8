import { queueSubmitSchema } from '@/lib/cluster/queue-schemas'
import { idempotencyKeyOf } from '@/lib/http/idempotency-key'
import { readJson, route } from '@/lib/http/route'
import { readSubmitted } from '@/lib/jobs/queue-list'
import { submitToQueue } from '@/lib/jobs/queue-submit'

/** Accepts a job that is a command, and answers at once. */
export const POST = route('submit', async ({ actor, request }) => {
  const key = idempotencyKeyOf(request)
  const input = await readJson(request, queueSubmitSchema)
  const { jobId, repeated, headers } = await submitToQueue(actor, input, key)
  return Response.json(
    repeated ? await readSubmitted(jobId) : { job_id: jobId, run_id: input.run_id ?? null, status: 'queued' },
    {
      status: repeated ? 200 : 201,
      headers: { ...headers, location: `/api/queue/${jobId}`, 'cache-control': 'no-store' },
    },
  )
})
