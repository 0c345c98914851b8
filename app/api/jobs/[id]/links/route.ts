import { createLinkSchema } from '@/lib/contract/artifacts'
import { readJson, route } from '@/lib/http/route'
import { createLink } from '@/lib/jobs/downloads/download-links'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'

/** An address of one of a job's files that works without signing in, until it expires. */
export const POST = route<{ id: string }>('read', async ({ request, params, actor }) => {
  const job = await findVisibleJob(actor, params.id)
  const link = await createLink(actor, job, await readJson(request, createLinkSchema), new Date())
  return Response.json(link, { status: 201, headers: { 'cache-control': 'no-store' } })
})
