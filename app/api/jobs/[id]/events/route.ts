import { route } from '@/lib/http/route'
import { jobEvents } from '@/lib/jobs/events'
import { findVisibleJob } from '@/lib/jobs/visible'

/** A job live, as server-sent events: its status as it changes, its output as it comes. */
export const GET = route<{ id: string }>('read', async ({ request, params, actor }) => {
  const job = await findVisibleJob(actor, params.id)
  return jobEvents(actor, job.id, request.headers.get('last-event-id'), request.signal)
})
