import { forgetGpu, forgetNode } from '../../cluster/admin/forget'
import { updateGpu, updateNode } from '../../cluster/admin/node-actions'
import { readHardware } from '../../cluster/overview/hardware'
import { readHistory } from '../../cluster/overview/history'
import { readCluster } from '../../cluster/overview/read-cluster'
import { initializeSimulatedNodes } from '../../cluster/simulated/simulated-nodes'
import { waitForSimulated } from '../../cluster/simulated/wait-simulated'
import { clusterOperations } from '../../contract/operations/cluster'
import { requireOwnEngine } from '../../engine/external-engine'
import { route } from '../../http/route'

export const clusterRoutes = {
  get: route(clusterOperations.get, ({ actor, query }) => readCluster(actor, query)),

  history: route(clusterOperations.history, ({ actor, query }) => readHistory(actor, query.nodes ?? null)),

  status: route(clusterOperations.status, ({ actor, query }) => readCluster(actor, query)),

  hardware: route(clusterOperations.hardware, () => readHardware()),

  updateNode: route(clusterOperations.updateNode, async ({ actor, params, body }) =>
    updateNode(actor, params.id, await body()),
  ),

  forgetNode: route(clusterOperations.forgetNode, ({ actor, params }) => forgetNode(actor, params.id)),

  updateGpu: route(clusterOperations.updateGpu, async ({ actor, params, body }) =>
    updateGpu(actor, params.id, await body()),
  ),

  forgetGpu: route(clusterOperations.forgetGpu, ({ actor, params }) => forgetGpu(actor, params.id)),

  /** Creates the simulated nodes. The answer is 202 if no worker serves them yet. */
  initialize: route(clusterOperations.initialize, async ({ actor, request, body, answer }) => {
    requireOwnEngine('simulate')
    const { node_count, gpus_per_node } = await body()
    const asked = { nodeCount: node_count, gpusPerNode: gpus_per_node }
    await initializeSimulatedNodes(actor, asked)
    const { cluster, ready } = await waitForSimulated(actor, asked, request.signal)
    return answer(cluster, { status: ready ? 200 : 202 })
  }),
}
