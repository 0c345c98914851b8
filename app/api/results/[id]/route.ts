import { resultQuerySchema } from '@/lib/contract/jobs'
import { readQuery, route } from '@/lib/http/route'
import { downloadResult } from '@/lib/jobs/downloads/download'
import { findVisibleJob, requireUserId } from '@/lib/jobs/read/job-visibility'
import { readResult } from '@/lib/jobs/read/read'

/** What a job printed so far, or its file for download with `?format=jsonl` or `?format=text`. */
export const GET = route<{ id: string }>('read', async ({ url, params, actor }) => {
  const { user_id, format } = readQuery(url, resultQuerySchema)
  requireUserId(actor, user_id)
  const job = await findVisibleJob(actor, params.id)
  if (format !== 'json') return downloadResult(job, format)
  return Response.json(await readResult(job.id), { headers: { 'cache-control': 'no-store' } })
})
