import { initializeSimulatedNodes } from '@/lib/cluster/simulated/simulated-nodes'
import { waitForSimulated } from '@/lib/cluster/simulated/wait-simulated'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { requireEngine } from '@/lib/env/engine'
import { route } from '@/lib/http/route'

/** Creates the simulated nodes. The answer is 202 if no worker serves them yet. */
export const POST = route(clusterOperations.initialize, async ({ actor, request, body, answer }) => {
  requireEngine('builtin', 'This gpuq uses Slurm, whose nodes cannot be simulated.')
  const { node_count, gpus_per_node } = await body()
  const asked = { nodeCount: node_count, gpusPerNode: gpus_per_node }
  await initializeSimulatedNodes(actor, asked)
  const { cluster, ready } = await waitForSimulated(actor, asked, request.signal)
  return answer(cluster, { status: ready ? 200 : 202 })
})
