import type { Actor } from '../access/actor'
import { type GpuRow, type NodeRow, readNodeRows } from './cluster-rows'
import { gpuState, nodeState } from './cluster-states'
import type { Cluster, ClusterGpu, ClusterNode } from './schemas'

/** Every node and GPU as it stands, and how much of them is free. */
export async function readCluster(actor: Actor): Promise<Cluster> {
  const nodes = (await readNodeRows(actor)).map(toNode)
  return { cluster_status: countCluster(nodes), nodes }
}

/** One node as the cluster shows it; null where there is none of that number. */
export async function readNode(actor: Actor, number: number): Promise<ClusterNode | null> {
  const [row] = await readNodeRows(actor, number)
  return row ? toNode(row) : null
}

function toNode(row: NodeRow): ClusterNode {
  return {
    node_id: row.number,
    name: row.name,
    ...nodeState(row),
    simulated: row.simulated,
    pool: row.pool,
    dedicated: row.dedicated,
    engine_version: row.engineVersion,
    warnings: row.warnings,
    cpu_milli: row.cpuMilli,
    cpu_used_milli: row.cpuUsedMilli,
    memory_mib: row.memoryMib,
    memory_used_mib: row.memoryUsedMib,
    gpus: row.gpus.map(toGpu),
  }
}

function toGpu(row: GpuRow): ClusterGpu {
  return {
    gpu_id: row.id,
    index: row.index,
    uuid: row.uuid,
    model: row.model,
    simulated: row.simulated,
    ...gpuState(row),
    allocated: row.allocatedMilli / 1000,
    memory_mib: row.memoryMib,
    use: toUse(row),
    jobs: row.jobs.map(({ id, name, handle, milli }) => ({
      job_id: id,
      name,
      user_id: handle,
      share: milli / 1000,
    })),
  }
}

function toUse(row: GpuRow): ClusterGpu['use'] {
  if (row.sampledAt === null) return null
  return {
    at: row.sampledAt,
    load: row.load,
    memory_used_mib: row.memoryUsedMib,
    temperature_c: row.temperatureC,
    power_w: row.powerW,
  }
}

const gone = new Set<ClusterNode['state']>(['lost', 'drained'])
const notGivenOut = new Set<ClusterGpu['state']>(['paused', 'outside'])

/** GPUs that are not there count nowhere. One that is closed counts as used only as far as it is. */
export function countCluster(nodes: readonly ClusterNode[]): Cluster['cluster_status'] {
  const present = nodes
    .filter(({ state }) => !gone.has(state))
    .flatMap(({ state, gpus }) => gpus.map((gpu) => ({ ...gpu, open: state === 'ready' })))
    .filter(({ state }) => state !== 'missing')
    .map((gpu) => ({ ...gpu, open: gpu.open && !notGivenOut.has(gpu.state) }))
  // Thousandths are summed as whole numbers: parts of 1 would not add up to 1.
  const allocatedMilli = present.reduce((sum, { allocated }) => sum + Math.round(allocated * 1000), 0)
  const usable = present.filter(({ open, allocated }) => open || allocated > 0).length
  return {
    total_gpus: present.length,
    available_gpus: present.filter(({ open, state }) => open && state === 'free').length,
    allocated_gpus: allocatedMilli / 1000,
    utilization_percent: usable === 0 ? 0 : Math.round(allocatedMilli / usable) / 10,
    nodes: nodes.length,
    ready_nodes: nodes.filter(({ state }) => state === 'ready').length,
    simulated_gpus: present.filter(({ simulated }) => simulated).length,
  }
}
