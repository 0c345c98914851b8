import { timeLimit } from '../../async/time-limit'
import { queueOperations } from '../../contract/operations/queue'
import { idempotencyKeyOf } from '../../http/body'
import { route } from '../../http/route'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import { waitUntilFinal } from '../../jobs/live/wait'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { setHeld } from '../../queue/hold'
import { readQueue, readQueueJob, readSubmitted } from '../../queue/list'
import { setPriority } from '../../queue/priority'
import { submitToQueue, tryForQueue } from '../../queue/submit'

/** Most jobs end on SIGTERM within this time. The answer then has the final status. */
const answerWithinMs = 3_000

export const queueRoutes = {
  submit: route(queueOperations.submit, async ({ actor, request, query, body: read, answer }) => {
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
  }),

  list: route(queueOperations.list, ({ actor, query }) => readQueue(actor, query)),

  get: route(queueOperations.get, ({ actor, params }) => readQueueJob(actor, params.id)),

  cancel: route(queueOperations.cancel, async ({ actor, request, params }) => {
    await cancelJob(actor, params.id)
    await waitUntilFinal(params.id, timeLimit(answerWithinMs, request.signal))
    return readQueueJob(actor, params.id)
  }),

  setPriority: route(queueOperations.setPriority, async ({ actor, params, body }) => {
    await findVisibleJob(actor, params.id)
    const { priority } = await body()
    await setPriority(actor, params.id, priority)
    return readQueueJob(actor, params.id)
  }),

  setHeld: route(queueOperations.setHeld, async ({ actor, params, body }) => {
    await findVisibleJob(actor, params.id)
    const { held } = await body()
    await setHeld(actor, params.id, held)
    return readQueueJob(actor, params.id)
  }),
}
