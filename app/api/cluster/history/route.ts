import { readHistory } from '@/lib/cluster/overview/history'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

export const GET = route(clusterOperations.history, ({ actor, query }) =>
  readHistory(actor, query.nodes ?? null),
)
