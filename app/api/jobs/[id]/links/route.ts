import { readJson, route } from '@/lib/http/route'
import { createLink } from '@/lib/jobs/download-links'
import { createLinkSchema } from '@/lib/jobs/schemas-artifacts'
import { findVisibleJob } from '@/lib/jobs/visible'

/** An address of one of a job's files that works without signing in, until it expires. */
export const POST = route<{ id: string }>('read', async ({ request, params, actor }) => {
  const job = await findVisibleJob(actor, params.id)
  const link = await createLink(actor, job, await readJson(request, createLinkSchema), new Date())
  return Response.json(link, { status: 201, headers: { 'cache-control': 'no-store' } })
})
