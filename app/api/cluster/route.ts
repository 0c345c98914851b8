import { readCluster } from '@/lib/cluster/overview/read-cluster'
import { clusterQuerySchema } from '@/lib/contract/cluster'
import { readQuery, route } from '@/lib/http/route'

export const GET = route('read', async ({ actor, url }) =>
  Response.json(await readCluster(actor, readQuery(url, clusterQuerySchema))),
)
