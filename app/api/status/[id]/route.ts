import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { requireUserId } from '@/lib/jobs/read/job-visibility'
import { readJob } from '@/lib/jobs/read/read'

export const GET = route(jobOperations.get, ({ query, params, actor }) => {
  requireUserId(actor, query.user_id)
  return readJob(actor, params.id)
})
