import { forgetNode } from '@/lib/cluster/admin/forget'
import { updateNode } from '@/lib/cluster/admin/node-actions'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

export const PATCH = route(clusterOperations.updateNode, async ({ actor, params, body }) =>
  updateNode(actor, params.id, await body()),
)

export const DELETE = route(clusterOperations.forgetNode, ({ actor, params }) => forgetNode(actor, params.id))
