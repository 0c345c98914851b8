import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { downloadResultFile, downloadText } from '@/lib/jobs/downloads/download'
import { findVisibleJob, requireUserId } from '@/lib/jobs/read/job-visibility'
import { readerOf } from '@/lib/jobs/read/reader-of'
import { sendResult } from '@/lib/jobs/read/result'

/** The output of a job so far. With `?format=jsonl` or `?format=text`: the file to download. */
export const GET = route(jobOperations.result, async ({ query, params, actor, request }) => {
  requireUserId(actor, query.user_id)
  const job = await findVisibleJob(actor, params.id)
  const reader = readerOf(actor, request)
  if (query.format === 'jsonl') return downloadResultFile(job, request.headers)
  if (query.format === 'json') return sendResult(reader, job.id, job.mayRead)
  return downloadText(reader, job, { name: `${job.id}.txt`, mayRead: job.mayRead })
})
