import { readHistory } from '@/lib/cluster/history'
import { route } from '@/lib/http/route'

export const GET = route('read', async ({ actor }) => Response.json(await readHistory(actor)))
