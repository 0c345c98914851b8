import { queueQuerySchema } from '@/lib/contract/queue'
import { readQuery, route } from '@/lib/http/route'
import { readQueue } from '@/lib/queue/list'

/** What waits and what runs. */
export const GET = route('read', async ({ actor, url }) =>
  Response.json(await readQueue(actor, readQuery(url, queueQuerySchema))),
)
