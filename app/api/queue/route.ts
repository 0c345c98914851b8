import { route } from '@/lib/http/route'
import { readQueue } from '@/lib/jobs/queue-list'

/** What waits and what runs. */
export const GET = route('read', async ({ actor }) => Response.json(await readQueue(actor)))
