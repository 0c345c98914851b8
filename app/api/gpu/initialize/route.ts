import { initializeSimulatedNodes } from '@/lib/cluster/simulated/simulated-nodes'
import { waitForSimulated } from '@/lib/cluster/simulated/wait-simulated'
import { initializeSchema } from '@/lib/contract/cluster'
import { readOptionalJson, route } from '@/lib/http/route'

/** Makes the simulated nodes as asked. 202 where no worker serves them yet. */
export const POST = route('admin', async ({ actor, request }) => {
  const { node_count, gpus_per_node } = await readOptionalJson(request, initializeSchema)
  const asked = { nodeCount: node_count, gpusPerNode: gpus_per_node }
  await initializeSimulatedNodes(actor, asked)
  const { cluster, ready } = await waitForSimulated(actor, asked, request.signal)
  return Response.json(cluster, { status: ready ? 200 : 202 })
})
