import { setTimeout as pause } from 'node:timers/promises'
import type { Actor } from '../../access/actor'
import type { Cluster } from '../../contract/cluster'
import { readCluster } from '../overview/read-cluster'
import type { SimulatedSet } from './simulated-nodes'

/** Their worker looks for them every second or two, and may have to adopt what runs there. */
const longestMs = 10_000
const lookEveryMs = 200

/** The cluster once the simulated nodes are as asked; `ready` is false where that took too long. */
export async function waitForSimulated(
  actor: Actor,
  asked: SimulatedSet,
  signal: AbortSignal,
): Promise<{ cluster: Cluster; ready: boolean }> {
  const until = performance.now() + longestMs
  for (;;) {
    const cluster = await readCluster(actor)
    const ready = isAsAsked(cluster, asked)
    if (ready || signal.aborted || performance.now() > until) return { cluster, ready }
    await pause(lookEveryMs)
  }
}

/** A node that an admin paused is served as well as one that is ready. */
function isAsAsked({ nodes }: Cluster, { nodeCount, gpusPerNode }: SimulatedSet): boolean {
  const simulated = nodes.filter((node) => node.simulated)
  const served = simulated.filter(
    ({ state }) => state !== 'drained' && state !== 'draining' && state !== 'lost',
  )
  return (
    simulated.length === nodeCount &&
    served.length === nodeCount &&
    simulated.every(({ gpus }) => gpus.length === gpusPerNode)
  )
}
