import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { downloadResult } from '@/lib/jobs/downloads/download'
import { findVisibleJob, requireUserId } from '@/lib/jobs/read/job-visibility'
import { readResult } from '@/lib/jobs/read/read'

/** The output of a job so far. With `?format=jsonl` or `?format=text`: the file to download. */
export const GET = route(jobOperations.result, async ({ query, params, actor, request }) => {
  requireUserId(actor, query.user_id)
  const job = await findVisibleJob(actor, params.id)
  return query.format === 'json' ? readResult(job.id) : downloadResult(job, query.format, request.headers)
})
