import { type Cluster, type ClusterGpu, type ClusterNode, gpuStates } from '../../contract/cluster'

/** The properties of a node that counting needs. */
export interface CountedNode {
  state: ClusterNode['state']
  gpus: readonly Pick<ClusterGpu, 'state' | 'allocated' | 'simulated'>[]
}

const gone = new Set<ClusterNode['state']>(['lost', 'drained'])
const unavailableStates = new Set<ClusterGpu['state']>(['paused', 'outside', 'closed'])

/** Counts GPUs by state. Missing GPUs are ignored. A blocked GPU counts as used only as far as it is allocated. */
export function countCluster(nodes: readonly CountedNode[]): Cluster['cluster_status'] {
  const present = nodes
    .filter(({ state }) => !gone.has(state))
    .flatMap(({ gpus }) => gpus)
    .filter(({ state }) => state !== 'missing')
  // Sums thousandths as integers, because sums of fractions have rounding errors.
  const allocatedMilli = present.reduce((sum, { allocated }) => sum + Math.round(allocated * 1000), 0)
  const usable = present.filter(
    ({ state, allocated }) => allocated > 0 || !unavailableStates.has(state),
  ).length
  return {
    total_gpus: present.length,
    available_gpus: present.filter(({ state }) => state === 'free').length,
    allocated_gpus: allocatedMilli / 1000,
    utilization_percent: usable === 0 ? 0 : Math.round(allocatedMilli / usable) / 10,
    nodes: nodes.length,
    ready_nodes: nodes.filter(({ state }) => state === 'ready').length,
    simulated_gpus: present.filter(({ simulated }) => simulated).length,
  }
}

export function countStates(nodes: readonly CountedNode[]): Cluster['gpus_by_state'] {
  const states = nodes.flatMap(({ gpus }) => gpus.map(({ state }) => state))
  const counts = gpuStates.map((name) => [name, states.filter((state) => state === name).length])
  return Object.fromEntries(counts) as Cluster['gpus_by_state']
}
