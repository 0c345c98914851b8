import { z } from 'zod'
import { AdaptiveCache } from '../../async/adaptive-cache'
import type { ClusterNode } from '../../contract/cluster/cluster'
import { database } from '../../database/client'
import { nodeColumns, shownGpus, shownNodes } from './cluster-rows'
import { gpuState, nodeFactsSchema, nodeState } from './cluster-states'
import type { CountedNode } from './count-cluster'
import { hiddenUntil, isReadingShown } from './hidden-readings'

/** The properties of a node that lists and counts use. */
type OverviewNode = CountedNode & Pick<ClusterNode, 'node_id' | 'name'>

const overviewRows = z.array(
  z.object({
    node_id: z.number(),
    name: z.string(),
    facts: nodeFactsSchema,
    gpus: z.array(
      z.tuple([z.boolean(), z.boolean(), z.boolean(), z.boolean(), z.number(), z.number().nullable()]),
    ),
  }),
)

// Next.js loads modules again for each route bundle; this keeps one cache per process.
const shared = globalThis as typeof globalThis & { gpuqOverview?: AdaptiveCache<OverviewNode[]> }

/** Reads every node and the states of its GPUs, without the jobs on them. Equal for all users. */
export function readOverview(): Promise<OverviewNode[]> {
  shared.gpuqOverview ??= new AdaptiveCache(computeOverview)
  return shared.gpuqOverview.get()
}

async function computeOverview(): Promise<OverviewNode[]> {
  const { rows } = await database().pool.query<z.input<typeof overviewRows>[number]>({
    name: 'cluster-overview',
    text: `SELECT ${nodeColumns}, coalesce(gpus.list, '[]') AS gpus FROM nodes n
             LEFT JOIN (SELECT g.node_id, json_agg(json_build_array(g.missing, g.paused_at IS NOT NULL,
                               g.busy_reason IS NOT NULL, g.simulated, g.allocated_milli, CASE WHEN ${isReadingShown} THEN g.load END)) AS list
                          FROM gpus g LEFT JOIN (${hiddenUntil('false')}) h ON h.gpu_id = g.id WHERE ${shownGpus} GROUP BY g.node_id) gpus ON gpus.node_id = n.id
            WHERE ${shownNodes} ORDER BY n.number`,
  })
  return overviewRows.parse(rows).map(({ facts, gpus, ...node }) => {
    const { state } = nodeState(facts)
    const counted = gpus.map(([missing, paused, busy, simulated, allocatedMilli, load]) => {
      // The reason texts are not needed here, only the state.
      const gpu = { missing, paused, pauseReason: null, busyReason: busy ? '' : null, allocatedMilli }
      return { state: gpuState(gpu, state).state, allocated: allocatedMilli / 1000, simulated, use: { load } }
    })
    return { ...node, state, gpus: counted }
  })
}
