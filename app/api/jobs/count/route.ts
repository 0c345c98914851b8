import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { countJobs } from '@/lib/jobs/read/list'

export const GET = route(jobOperations.count, ({ actor, query }) => countJobs(actor, query))
