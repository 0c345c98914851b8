import { readCluster } from '@/lib/cluster/overview/read-cluster'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

export const GET = route(clusterOperations.get, ({ actor, query }) => readCluster(actor, query))
