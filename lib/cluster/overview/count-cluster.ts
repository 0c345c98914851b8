import type { Cluster, ClusterGpu, ClusterNode, GpuUse } from '../../contract/cluster/cluster'
import { gpuStates } from '../../contract/cluster/gpu-states'

export interface CountedNode {
  state: ClusterNode['state']
  gpus: readonly (Pick<ClusterGpu, 'state' | 'allocated' | 'simulated'> & {
    use: Pick<GpuUse, 'load'> | null
  })[]
}

const gone = new Set<ClusterNode['state']>(['lost', 'drained'])
const unavailableStates = new Set<ClusterGpu['state']>(['paused', 'outside', 'closed'])

/**
 * Counts nodes, and GPUs by state. Only the counts by state contain missing GPUs and the GPUs of nodes without a worker.
 * A blocked GPU counts as used only as far as it is allocated.
 */
export function countCluster(
  nodes: readonly CountedNode[],
): Pick<Cluster, 'cluster_status' | 'gpus_by_state'> {
  const present = nodes
    .filter(({ state }) => !gone.has(state))
    .flatMap(({ gpus }) => gpus)
    .filter(({ state }) => state !== 'missing')
  // Sums thousandths as integers, because sums of fractions have rounding errors.
  const allocatedMilli = present.reduce((sum, { allocated }) => sum + Math.round(allocated * 1000), 0)
  const usable = present.filter(
    ({ state, allocated }) => allocated > 0 || !unavailableStates.has(state),
  ).length
  // A machine without GPUs beside simulated ones only hosts them.
  const isSimulated = present.some(({ simulated }) => simulated)
  const counted = isSimulated ? nodes.filter(({ gpus }) => gpus.length > 0) : nodes
  const states = nodes.flatMap(({ gpus }) => gpus.map(({ state }) => state))
  const counts = gpuStates.map((name) => [name, states.filter((state) => state === name).length])
  return {
    cluster_status: {
      total_gpus: present.length,
      available_gpus: present.filter(({ state }) => state === 'free').length,
      allocated_gpus: allocatedMilli / 1000,
      utilization_percent: usable === 0 ? 0 : Math.round(allocatedMilli / usable) / 10,
      load_percent: meanLoadPercent(present.map(({ use }) => use?.load ?? null)),
      nodes: counted.length,
      ready_nodes: counted.filter(({ state }) => state === 'ready').length,
      simulated_gpus: present.filter(({ simulated }) => simulated).length,
    },
    gpus_by_state: Object.fromEntries(counts) as Cluster['gpus_by_state'],
  }
}

/** With one decimal. Null if no load is known. */
function meanLoadPercent(loads: readonly (number | null)[]): number | null {
  const known = loads.filter((load) => load !== null)
  if (known.length === 0) return null
  return Math.round((known.reduce((sum, load) => sum + load, 0) / known.length) * 1000) / 10
}
