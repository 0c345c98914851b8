import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { listJobs } from '@/lib/jobs/read/list'

/** The caller's jobs, newest first; the way to older ones is in the Link header. */
export const GET = route(jobOperations.list, ({ actor, query }) => listJobs(actor, query))
