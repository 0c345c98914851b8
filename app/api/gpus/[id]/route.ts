import { forgetGpu } from '@/lib/cluster/admin/forget'
import { updateGpu } from '@/lib/cluster/admin/node-actions'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

export const PATCH = route(clusterOperations.updateGpu, async ({ actor, params, body }) =>
  updateGpu(actor, params.id, await body()),
)

export const DELETE = route(clusterOperations.forgetGpu, ({ actor, params }) => forgetGpu(actor, params.id))
