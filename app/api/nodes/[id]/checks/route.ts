import { requestCheck } from '@/lib/cluster/checks/read-reports'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

export const POST = route(clusterOperations.checkNode, ({ actor, params }) => requestCheck(actor, params.id))
