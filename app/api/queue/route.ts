import { queueQuerySchema } from '@/lib/cluster/queue-schemas'
import { readQuery, route } from '@/lib/http/route'
import { readQueue } from '@/lib/jobs/queue-list'

/** What waits and what runs. */
export const GET = route('read', async ({ actor, url }) =>
  Response.json(await readQueue(actor, readQuery(url, queueQuerySchema))),
)
