import { readHistory } from '@/lib/cluster/overview/history'
import { historyQuerySchema } from '@/lib/contract/cluster'
import { readQuery, route } from '@/lib/http/route'

export const GET = route('read', async ({ actor, url }) =>
  Response.json(await readHistory(actor, readQuery(url, historyQuerySchema).nodes ?? null)),
)
