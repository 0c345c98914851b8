import type { Actor } from '../../access/actor'
import type { Cluster, ClusterNode, ClusterQuery } from '../../contract/cluster/cluster'
import { database } from '../../database/client'
import { readOverview } from './cluster-overview'
import { type NodeRow, readNodeRows, shownNodes } from './cluster-rows'
import { gpuState, nodeProbe, nodeState } from './cluster-states'
import { countCluster } from './count-cluster'

/** Reads nodes and GPUs with their free capacity. A query with a limit returns some nodes and the totals of all. */
export async function readCluster(actor: Actor, query: ClusterQuery = { offset: 0 }): Promise<Cluster> {
  const { limit, offset, name, not_ready } = query
  const isWhole = limit === undefined && offset === 0 && name === undefined && !not_ready
  if (isWhole || (await isSmall(query))) {
    const nodes = (await readNodeRows(actor)).map(toNode)
    return { ...countCluster(nodes), matching_nodes: nodes.length, nodes }
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
    shown.map(({ node_id }) => node_id),
  )
  return { ...countCluster(all), matching_nodes: matching.length, nodes: rows.map(toNode) }
}

/** If the result contains all nodes, it is read in one query instead of from the cache. */
async function isSmall({ limit, offset, name, not_ready }: ClusterQuery): Promise<boolean> {
  if (limit === undefined || offset > 0 || name !== undefined || not_ready) return false
  const { rows } = await database().pool.query<{ nodes: number }>(
    `SELECT count(*)::int AS nodes FROM nodes n WHERE ${shownNodes}`,
  )
  return (rows[0]?.nodes ?? 0) <= limit
}

/** Reads one node; null if no node has that number. */
export async function readNode(actor: Actor, number: number): Promise<ClusterNode | null> {
  const [row] = await readNodeRows(actor, [number])
  return row ? toNode(row) : null
}

function toNode({ facts, gpus, ...node }: NodeRow): ClusterNode {
  const state = nodeState(facts)
  return {
    ...node,
    ...state,
    probe: nodeProbe(facts),
    gpus: gpus.map(({ facts: gpuFacts, ...gpu }) => ({ ...gpu, ...gpuState(gpuFacts, state.state) })),
  }
}
