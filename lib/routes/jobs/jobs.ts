import { timeLimit } from '../../async/time-limit'
import { jobOperations } from '../../contract/operations/jobs'
import { route } from '../../http/route'
import { downloadResultFile, downloadText } from '../../jobs/downloads/download'
import { compareSourceFiles, downloadSourceFile, listSourceFiles } from '../../jobs/downloads/source-files'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import { updateJob } from '../../jobs/lifecycle/update-job'
import { jobEvents } from '../../jobs/live/events'
import { waitUntilFinal } from '../../jobs/live/wait'
import { withDiagnosis } from '../../jobs/read/diagnosis'
import { findVisibleJob, requireUserId } from '../../jobs/read/job-visibility'
import { countJobs, listJobs } from '../../jobs/read/list'
import { readJob, readSource } from '../../jobs/read/read'
import { readerOf } from '../../jobs/read/reader-of'
import { sendResult } from '../../jobs/read/result'
import { readSample } from '../../jobs/read/sample'
import { suggestValues } from '../../jobs/read/suggest'
import { readJobUsage } from '../../jobs/read/usage'
import { withExpectation, withExpectations } from '../../queue/expectations'
import { withPredictedTime } from '../../queue/predicted-time'
import { orOtherUpload } from './or-other-upload'

/** Most jobs end on SIGTERM within this time. The answer then has the final status. */
const answerWithinMs = 3_000

export const jobRoutes = {
  sample: route(jobOperations.sample, () => readSample()),

  list: route(jobOperations.list, async ({ actor, query }) => {
    const { items, next } = await listJobs(actor, query)
    return { items: await withExpectations(items), next }
  }),

  count: route(jobOperations.count, ({ actor, query }) => countJobs(actor, query)),

  suggest: route(jobOperations.suggest, ({ actor, query }) => suggestValues(actor, query)),

  get: route(jobOperations.get, async ({ request, query, params, actor }) => {
    requireUserId(actor, query.user_id)
    return orOtherUpload(
      actor,
      async () => {
        const job = await withDiagnosis(actor, readerOf(actor, request), await readJob(actor, params.id))
        return withPredictedTime(await withExpectation(job))
      },
      (kind) => kind.read(actor, params.id),
    )
  }),

  update: route(jobOperations.update, async ({ actor, params, body }) => {
    await findVisibleJob(actor, params.id)
    await updateJob(actor, params.id, await body())
    return readJob(actor, params.id)
  }),

  /** The output of a job so far. With `?format=jsonl` or `?format=text`: the file to download. */
  result: route(jobOperations.result, async ({ query, params, actor, request }) => {
    requireUserId(actor, query.user_id)
    return orOtherUpload(
      actor,
      async () => {
        const job = await findVisibleJob(actor, params.id)
        const reader = readerOf(actor, request)
        if (query.format === 'jsonl') return downloadResultFile(job, request.headers)
        if (query.format === 'json') return sendResult(reader, job.id, job.mayRead)
        return downloadText(reader, job, { name: `${job.id}.txt`, mayRead: job.mayRead })
      },
      ({ read, download }) =>
        query.format === 'json' ? read(actor, params.id) : download(actor, params.id, query.format),
    )
  }),

  cancel: route(jobOperations.cancel, async ({ request, query, params, actor }) => {
    requireUserId(actor, query.user_id)
    return orOtherUpload(
      actor,
      async () => {
        await cancelJob(actor, params.id)
        await waitUntilFinal(params.id, timeLimit(answerWithinMs, request.signal))
        return readJob(actor, params.id)
      },
      (kind) => kind.cancel(actor, params.id),
    )
  }),

  usage: route(jobOperations.usage, ({ actor, params }) => readJobUsage(actor, params.id)),

  source: route(jobOperations.source, ({ params, actor }) => readSource(actor, params.id)),

  files: route(jobOperations.files, async ({ actor, params }) =>
    listSourceFiles(await findVisibleJob(actor, params.id)),
  ),

  fileChanges: route(jobOperations.fileChanges, async ({ actor, params, query }) => {
    const [before, after] = [await findVisibleJob(actor, query.since), await findVisibleJob(actor, params.id)]
    return compareSourceFiles(before, after, query.limit)
  }),

  fileContent: route(jobOperations.fileContent, async ({ actor, params, query, request }) =>
    downloadSourceFile(await findVisibleJob(actor, params.id), query.path, request.headers),
  ),

  events: route(jobOperations.events, async ({ request, query, params, actor }) => {
    const job = await findVisibleJob(actor, params.id)
    const lastEventId = request.headers.get('last-event-id')
    const { tail, max_record_bytes: maxRecordBytes } = query
    return jobEvents(actor, job, { lastEventId, tail, maxRecordBytes }, request.signal)
  }),
}
