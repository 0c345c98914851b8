import { Cluster } from '@/lib/scheduling/cluster'
import { Fragmentation } from '@/lib/scheduling/fragmentation'
import { Placer } from '@/lib/scheduling/placer'
import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import type { ResourceRequest } from '@/lib/scheduling/types'
import { countKinds } from '@/lib/scheduling/workload'
import type { Trace } from './trace'

/** The requested GPUs, as a multiple of the cluster's GPUs. */
const load = 1.3

export interface Allocation {
  seed: number
  /** The allocated share of all GPU capacity. */
  percent: number
  /** The number of requests that were tried. */
  placements: number
  milliseconds: number
}

/**
 * Fills the trace's cluster once, with the method of the trace's authors: takes tasks in random order, and
 * draws more until they request 1.3 times the cluster's GPUs. Each task is placed or dropped, and none ends.
 * @param withSecondPart false: places as published for FGD.
 */
export function fillCluster({ nodes, requests }: Trace, seed: number, withSecondPart = true): Allocation {
  const order = drawTasks(requests, load * capacityOf(nodes), randomNumbers(seed))
  const began = performance.now()
  const cluster = new Cluster(nodes)
  const fragmentation = new Fragmentation(countKinds(requests), withSecondPart)
  const placers = new Map<string, Placer>()
  let given = 0
  for (const [index, request] of order.entries()) {
    const kind = JSON.stringify(request)
    const placer = placers.get(kind) ?? new Placer(request, cluster, fragmentation)
    placers.set(kind, placer)
    const [place] = placer.find(1, () => true) ?? []
    if (!place) continue
    const { task } = place
    const stays = {
      task,
      endsAt: Number.POSITIVE_INFINITY,
      startedAt: 0,
      preemptible: false,
      terminating: false,
    }
    place.node.allocate(String(index), stays)
    given += milliOf(request)
  }
  const milliseconds = performance.now() - began
  return { seed, percent: (100 * given) / capacityOf(nodes), placements: order.length, milliseconds }
}

function drawTasks(requests: ResourceRequest[], wanted: number, random: () => number): ResourceRequest[] {
  const order = [...requests]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [order[last], order[other]]
    if (a && b) [order[last], order[other]] = [b, a]
  }
  let asked = order.reduce((sum, request) => sum + milliOf(request), 0)
  while (asked < wanted) {
    const drawn = requests[Math.floor(random() * requests.length)]
    if (!drawn) break
    order.push(drawn)
    asked += milliOf(drawn)
  }
  return order
}

function milliOf({ gpuCount, gpuMilli }: ResourceRequest): number {
  return gpuCount * gpuMilli
}

function capacityOf(nodes: Trace['nodes']): number {
  return nodes.reduce((sum, { gpus }) => sum + gpus.length * 1000, 0)
}
