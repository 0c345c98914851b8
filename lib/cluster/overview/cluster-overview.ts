import { z } from 'zod'
import { AdaptiveCache } from '../../async/adaptive-cache'
import { database } from '../../database/client'
import { nodeFacts, nodeStateFields, shownGpus, shownNodes } from './cluster-rows'
import { gpuState, nodeState } from './cluster-states'
import type { CountedNode } from './count-cluster'

/** The properties of a node that lists and counts use. */
interface OverviewNode extends CountedNode {
  number: number
  name: string
}

const overviewRows = z.array(
  z.object({
    ...nodeStateFields,
    gpus: z.array(z.tuple([z.boolean(), z.boolean(), z.boolean(), z.boolean(), z.number()])),
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
  const { rows } = await database().pool.query({
    name: 'cluster-overview',
    text: `SELECT ${nodeFacts}, coalesce(gpus.list, '[]') AS gpus FROM nodes n
             LEFT JOIN (SELECT g.node_id, json_agg(json_build_array(g.missing, g.paused_at IS NOT NULL,
                               g.busy_reason IS NOT NULL, g.simulated, g.allocated_milli)) AS list
                          FROM gpus g WHERE ${shownGpus} GROUP BY g.node_id) gpus ON gpus.node_id = n.id
            WHERE ${shownNodes} ORDER BY n.number`,
  })
  return overviewRows.parse(rows).map(({ gpus, ...node }) => {
    const { state } = nodeState(node)
    const counted = gpus.map(([missing, paused, busy, simulated, allocatedMilli]) => {
      // The reason texts are not needed here, only the state.
      const facts = { missing, paused, pauseReason: null, busyReason: busy ? '' : null, allocatedMilli }
      return { state: gpuState(facts, state).state, allocated: allocatedMilli / 1000, simulated }
    })
    return { number: node.number, name: node.name, state, gpus: counted }
  })
}
