import * as z from 'zod'
import { timeLimit } from '../../async/time-limit'
import { GpuqError } from '../../contract/errors'
import { operations } from '../../contract/operations/operations'
import { parseInput } from '../../contract/parse-input'
import { queueSubmitSchema } from '../../contract/queue'
import { idempotencyKeyOf, readJson } from '../../http/body'
import { route } from '../../http/route'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import { waitUntilFinal } from '../../jobs/live/wait'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { setHeld } from '../../queue/hold'
import { readQueue, readQueueJob, readSubmitted } from '../../queue/list'
import { setPriority } from '../../queue/priority'
import { submitToQueue, tryForQueue } from '../../queue/submit'
import { queuedKinds } from '../features'

/** Most jobs end on SIGTERM within this time. The answer then has the final status. */
const answerWithinMs = 3_000

const { queue } = operations

export const queueRoutes = {
  submit: route(queue.submit, async ({ actor, request, query, answer }) => {
    const key = idempotencyKeyOf(request)
    const given = await readJson(request, z.unknown(), queue.submit)
    const deduplicate = query.deduplicate ?? false
    const kind = queuedKinds.find(({ takes }) => typeof given === 'object' && given !== null && takes(given))
    if (kind) {
      const body = given as object
      if (query.dry_run) return answer(await kind.check(actor, body), { status: 200 })
      const { item, isNew, headers } = await kind.submit(actor, body, { idempotencyKey: key, deduplicate })
      const location = `/api/queue/${item.job_id}`
      return answer(item, { status: isNew ? 201 : 200, headers: { ...headers, location } })
    }
    const input = parseInput(queueSubmitSchema, given)
    if (query.dry_run) return answer(await tryForQueue(actor, input), { status: 200 })
    const submitted = await submitToQueue(actor, input, key, { deduplicate })
    const { jobId, repeated, deduplicated, projectNote, headers } = submitted
    const isNew = !repeated && !deduplicated
    const job = isNew
      ? { job_id: jobId, run_id: input.run_id ?? null, status: 'queued' as const }
      : await readSubmitted(jobId)
    const location = `/api/queue/${jobId}`
    const body = { ...job, deduplicated, project_note: projectNote }
    return answer(body, { status: isNew ? 201 : 200, headers: { ...headers, location } })
  }),

  list: route(queue.list, ({ actor, query }) => readQueue(actor, query)),

  get: route(queue.get, ({ actor, params: { id } }) =>
    jobOr(
      () => readQueueJob(actor, id),
      (kind) => kind.read(actor, id),
    ),
  ),

  cancel: route(queue.cancel, ({ actor, request, params: { id } }) =>
    jobOr(
      async () => {
        await cancelJob(actor, id)
        await waitUntilFinal(id, timeLimit(answerWithinMs, request.signal))
        return readQueueJob(actor, id)
      },
      (kind) => kind.cancel(actor, id),
    ),
  ),

  setPriority: route(queue.setPriority, async ({ actor, params: { id }, body }) => {
    await requireJob(actor, id)
    const { priority } = await body()
    await setPriority(actor, id, priority)
    return readQueueJob(actor, id)
  }),

  setHeld: route(queue.setHeld, async ({ actor, params: { id }, body }) => {
    await requireJob(actor, id)
    const { held } = await body()
    await setHeld(actor, id, held)
    return readQueueJob(actor, id)
  }),
}

type Kind = (typeof queuedKinds)[number]

/** Does something with the job of an id, or with what else has the id. @throws 404 if nothing has it */
async function jobOr<Job, Item>(
  withJob: () => Promise<Job>,
  withItem: (kind: Kind) => Promise<Item | null>,
): Promise<Job | Item> {
  try {
    return await withJob()
  } catch (error) {
    if (!(error instanceof GpuqError && error.code === 'not_found')) throw error
    for (const kind of queuedKinds) {
      const item = await withItem(kind)
      if (item !== null) return item
    }
    throw error
  }
}

/** @throws 404 for an unknown id, 409 for one that is no job's */
async function requireJob(actor: Parameters<typeof findVisibleJob>[0], id: string): Promise<void> {
  const found = await jobOr(
    () => findVisibleJob(actor, id),
    (kind) => kind.refuseChange(actor, id),
  )
  if (found instanceof GpuqError) throw found
}
