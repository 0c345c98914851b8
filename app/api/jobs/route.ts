import { jobFiltersSchema } from '@/lib/contract/jobs'
import { pageResponse } from '@/lib/http/pagination'
import { readQuery, route } from '@/lib/http/route'
import { listJobs } from '@/lib/jobs/read/list'

/** The caller's jobs, newest first; the way to older ones is in the Link header. */
export const GET = route('read', async ({ request, url, actor }) => {
  const page = await listJobs(actor, readQuery(url, jobFiltersSchema))
  return pageResponse(request, page)
})
