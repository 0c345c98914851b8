import type { Actor } from '../../access/actor'
import { sleep } from '../../async/sleep'
import type { Cluster, ClusterNode } from '../../contract/cluster/cluster'
import { readCluster } from '../overview/read-cluster'
import type { SimulatedSet } from './simulated-nodes'

/** The worker checks for simulated nodes every second or two, and may first have to adopt running containers. */
const timeoutMs = 10_000
const pollIntervalMs = 200

/** Returns the cluster once the simulated nodes are as requested; `ready` is false after a timeout. */
export async function waitForSimulated(
  actor: Actor,
  requested: SimulatedSet,
  signal: AbortSignal,
): Promise<{ cluster: Cluster; ready: boolean }> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const cluster = await readCluster(actor)
    const ready = matchesRequest(cluster, requested)
    if (ready || signal.aborted || performance.now() > until) return { cluster, ready }
    await sleep(pollIntervalMs, signal)
  }
}

/** A node that an admin paused also counts as served. */
function matchesRequest({ nodes }: Cluster, { nodeCount, gpusPerNode }: SimulatedSet): boolean {
  const simulated = nodes.filter((node) => node.simulated)
  const isServed = ({ state }: ClusterNode) => !['drained', 'draining', 'lost'].includes(state)
  return (
    simulated.length === nodeCount &&
    simulated.every((node) => isServed(node) && node.gpus.length === gpusPerNode)
  )
}
