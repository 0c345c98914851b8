import { route } from '@/lib/http/route'
import { readSource } from '@/lib/jobs/read/read'

/** What was submitted, without the token: to look at, or to edit and run again. */
export const GET = route<{ id: string }>('read', async ({ params, actor }) => {
  return Response.json(await readSource(actor, params.id))
})
