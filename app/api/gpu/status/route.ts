import { readCluster } from '@/lib/cluster/read-cluster'
import { route } from '@/lib/http/route'

/** The cluster, under the name that the queue API has for it. */
export const GET = route('read', async ({ actor }) => Response.json(await readCluster(actor)))
