import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { listJobs } from '@/lib/jobs/read/list'
import { withExpectations } from '@/lib/queue/expectations'

export const GET = route(jobOperations.list, async ({ actor, query }) => {
  const { items, next } = await listJobs(actor, query)
  return { items: await withExpectations(items), next }
})
