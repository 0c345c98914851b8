import type { Actor } from '../../access/actor'
import type { Cluster, ClusterGpu, ClusterNode, ClusterQuery } from '../../contract/cluster'
import { database } from '../../database/client'
import { readOverview } from './cluster-overview'
import { type GpuRow, type NodeRow, readNodeRows, shownNodes } from './cluster-rows'
import { gpuState, nodeState } from './cluster-states'
import { type CountedNode, countCluster, countStates } from './count-cluster'

/** Reads nodes and GPUs with their free capacity. A query with a limit returns some nodes and the totals of all. */
export async function readCluster(actor: Actor, query: ClusterQuery = { offset: 0 }): Promise<Cluster> {
  const { limit, offset, name, not_ready } = query
  const isWhole = limit === undefined && offset === 0 && name === undefined && !not_ready
  if (isWhole || (await isSmall(query))) {
    const nodes = (await readNodeRows(actor)).map(toNode)
    return { ...figuresOf(nodes), matching_nodes: nodes.length, nodes }
  }
  const all = await readOverview()
  const wanted = name?.toLowerCase()
  const matching = all.filter(
    (node) =>
      (wanted === undefined || node.name.toLowerCase().includes(wanted)) &&
      !(not_ready && node.state === 'ready'),
  )
  const shown = matching.slice(offset, limit === undefined ? undefined : offset + limit)
  const rows = await readNodeRows(
    actor,
    shown.map(({ number }) => number),
  )
  return { ...figuresOf(all), matching_nodes: matching.length, nodes: rows.map(toNode) }
}

/** If the result contains all nodes, it is read in one query instead of from the cache. */
async function isSmall({ limit, offset, name, not_ready }: ClusterQuery): Promise<boolean> {
  if (limit === undefined || offset > 0 || name !== undefined || not_ready) return false
  const { rows } = await database().pool.query<{ nodes: number }>(
    `SELECT count(*)::int AS nodes FROM nodes n WHERE ${shownNodes}`,
  )
  return (rows[0]?.nodes ?? 0) <= limit
}

function figuresOf(nodes: readonly CountedNode[]): Pick<Cluster, 'cluster_status' | 'gpus_by_state'> {
  return { cluster_status: countCluster(nodes), gpus_by_state: countStates(nodes) }
}

/** Reads one node; null if no node has that number. */
export async function readNode(actor: Actor, number: number): Promise<ClusterNode | null> {
  const [row] = await readNodeRows(actor, [number])
  return row ? toNode(row) : null
}

function toNode(row: NodeRow): ClusterNode {
  const { state, reason } = nodeState(row)
  return {
    node_id: row.number,
    name: row.name,
    state,
    reason,
    simulated: row.simulated,
    pool: row.pool,
    dedicated: row.dedicated,
    engine_version: row.engineVersion,
    warnings: row.warnings,
    cpu_milli: row.cpuMilli,
    cpu_used_milli: row.cpuUsedMilli,
    memory_mib: row.memoryMib,
    memory_used_mib: row.memoryUsedMib,
    gpus: row.gpus.map((gpu) => toGpu(gpu, state)),
  }
}

function toGpu(row: GpuRow, node: ClusterNode['state']): ClusterGpu {
  return {
    gpu_id: row.id,
    index: row.index,
    uuid: row.uuid,
    model: row.model,
    simulated: row.simulated,
    ...gpuState(row, node),
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
