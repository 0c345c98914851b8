import { readCluster } from '@/lib/cluster/overview/read-cluster'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

/** The cluster, under the name that the queue API has for it. */
export const GET = route(clusterOperations.status, ({ actor, query }) => readCluster(actor, query))
