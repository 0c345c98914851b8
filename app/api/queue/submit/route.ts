import { queueOperations } from '@/lib/contract/operations/queue'
import { idempotencyKeyOf } from '@/lib/http/body'
import { route } from '@/lib/http/route'
import { readSubmitted } from '@/lib/queue/list'
import { submitToQueue, tryForQueue } from '@/lib/queue/submit'

export const POST = route(queueOperations.submit, async ({ actor, request, query, body: read, answer }) => {
  const key = idempotencyKeyOf(request)
  const input = await read()
  if (query.dry_run) return answer(await tryForQueue(actor, input), { status: 200 })
  const submitted = await submitToQueue(actor, input, key, { deduplicate: query.deduplicate ?? false })
  const { jobId, repeated, deduplicated, projectNote, headers } = submitted
  const isNew = !repeated && !deduplicated
  const job = isNew
    ? { job_id: jobId, run_id: input.run_id ?? null, status: 'queued' as const }
    : await readSubmitted(jobId)
  const location = `/api/queue/${jobId}`
  const body = { ...job, deduplicated, project_note: projectNote }
  return answer(body, { status: isNew ? 201 : 200, headers: { ...headers, location } })
})
