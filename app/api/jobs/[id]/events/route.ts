import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { jobEvents } from '@/lib/jobs/live/events'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

export const GET = route(jobOperations.events, async ({ request, query, params, actor }) => {
  const job = await findVisibleJob(actor, params.id)
  const lastEventId = request.headers.get('last-event-id')
  const { tail, max_record_bytes: maxRecordBytes } = query
  return jobEvents(actor, job, { lastEventId, tail, maxRecordBytes }, request.signal)
})
