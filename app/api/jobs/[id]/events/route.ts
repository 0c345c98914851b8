import { eventsQuerySchema } from '@/lib/contract/jobs'
import { readQuery, route } from '@/lib/http/route'
import { jobEvents } from '@/lib/jobs/live/events'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

/** A job live, as server-sent events: its status as it changes, its output as it comes. */
export const GET = route<{ id: string }>('read', async ({ request, url, params, actor }) => {
  const job = await findVisibleJob(actor, params.id)
  const { tail } = readQuery(url, eventsQuerySchema)
  return jobEvents(actor, job.id, { lastEventId: request.headers.get('last-event-id'), tail }, request.signal)
})
