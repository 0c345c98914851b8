import { readCluster } from '@/lib/cluster/read-cluster'
import { route } from '@/lib/http/route'

export const GET = route('read', async ({ actor }) => Response.json(await readCluster(actor)))
