import { queueSubmitSchema } from '@/lib/contract/queue'
import { idempotencyKeyOf } from '@/lib/http/idempotency-key'
import { parseDeduplicate } from '@/lib/http/prefer'
import { readJson, route } from '@/lib/http/route'
import { readSubmitted } from '@/lib/queue/list'
import { submitToQueue } from '@/lib/queue/submit'

/** Accepts a job that is a command, and answers at once. */
export const POST = route('submit', async ({ actor, request, url }) => {
  const key = idempotencyKeyOf(request)
  const deduplicate = parseDeduplicate(url)
  const input = await readJson(request, queueSubmitSchema)
  const submitted = await submitToQueue(actor, input, key, { deduplicate })
  const { jobId, repeated, deduplicated, headers } = submitted
  const isNew = !repeated && !deduplicated
  const job = isNew
    ? { job_id: jobId, run_id: input.run_id ?? null, status: 'queued' }
    : await readSubmitted(jobId)
  return Response.json(
    { ...job, deduplicated },
    {
      status: isNew ? 201 : 200,
      headers: { ...headers, location: `/api/queue/${jobId}`, 'cache-control': 'no-store' },
    },
  )
})
