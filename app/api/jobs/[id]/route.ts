import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { updateJob } from '@/lib/jobs/lifecycle/update-job'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { readJob } from '@/lib/jobs/read/read'

export const PATCH = route(jobOperations.update, async ({ actor, params, body }) => {
  await findVisibleJob(actor, params.id)
  await updateJob(actor, params.id, await body())
  return readJob(actor, params.id)
})
