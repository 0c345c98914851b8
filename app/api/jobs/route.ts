import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { listJobs } from '@/lib/jobs/read/list'

export const GET = route(jobOperations.list, ({ actor, query }) => listJobs(actor, query))
