import { couldFit, isEligible, isInPool } from '../fits'
import { NodeKinds } from '../node-kinds'
import type { GpuState, NodeState, ResourceRequest } from '../types'

/** How much of a request is left if a change is not one of size: another model of GPU, another pool. */
const keptByOther = 0.1

/** A smaller request, how many of its properties differ, and how much of the request is left: 1 is all of it. */
interface Candidate {
  request: ResourceRequest
  changes: number
  kept: number
}

/**
 * Finds the request that fits on these nodes, once they are open and free, with the fewest changes, and of these the one that
 * keeps most. Null: there is none.
 */
export function nearestFit(request: ResourceRequest, nodes: readonly NodeState[]): ResourceRequest | null {
  const kinds = new NodeKinds(nodes)
  const candidates = kinds.examples().flatMap((node) => {
    const smaller = shrinkTo(request, node)
    const instances = Math.min(request.instances, smaller ? kinds.largeEnough(smaller).length : 0)
    if (!smaller || instances === 0 || !couldFit(smaller, node)) return []
    return [compare(request, { ...smaller, instances })]
  })
  const [nearest] = candidates.sort((a, b) => a.changes - b.changes || b.kept - a.kept)
  return nearest?.request ?? null
}

/** The request with everything that one node does not have reduced to what it has. Null: the node has no GPU for it. */
function shrinkTo(request: ResourceRequest, node: NodeState): ResourceRequest | null {
  const pool = isInPool(request, node) ? request.pool : node.pool
  const { cpuMilli, memoryMib } = request
  const size = {
    pool,
    cpuMilli: cpuMilli === null ? null : Math.min(cpuMilli, node.cpuMilli),
    memoryMib: memoryMib === null ? null : Math.min(memoryMib, node.memoryMib),
  }
  if (request.gpuCount === 0) return { ...request, ...size }
  const gpus = node.gpus.filter(({ blocked }) => blocked !== 'missing')
  const suitable = withoutUnmet(request, gpus)
  const gpuCount = Math.min(request.gpuCount, gpus.filter((gpu) => isEligible(suitable, gpu)).length)
  return gpuCount === 0 ? null : { ...suitable, ...size, gpuCount }
}

/** The request with those conditions on its GPUs changed that no GPU of the node meets. */
function withoutUnmet(request: ResourceRequest, gpus: readonly GpuState[]): ResourceRequest {
  const has = (wanted: ResourceRequest) => gpus.some((gpu) => isEligible(wanted, gpu))
  const [largest] = gpus.toSorted((a, b) => b.memoryMib - a.memoryMib)
  if (has(request) || !largest) return request
  const changes: Partial<ResourceRequest>[] = [
    { allowedGpus: null },
    { gpuMemoryMib: request.gpuMemoryMib && Math.min(request.gpuMemoryMib, largest.memoryMib) },
    { gpuModel: largest.model },
  ]
  const single = changes.map((change) => ({ ...request, ...change })).find(has)
  if (single) return single
  const { gpuModel, gpuMemoryMib } = request
  return {
    ...request,
    allowedGpus: null,
    gpuMemoryMib: gpuMemoryMib && Math.min(gpuMemoryMib, largest.memoryMib),
    gpuModel: gpuModel === null ? null : largest.model,
  }
}

const sizes = ['gpuCount', 'cpuMilli', 'memoryMib', 'gpuMemoryMib', 'instances'] as const
const others = ['gpuModel', 'pool', 'allowedGpus'] as const

function compare(asked: ResourceRequest, request: ResourceRequest): Candidate {
  const resized = sizes.filter((key) => asked[key] !== request[key])
  const replaced = others.filter((key) => asked[key] !== request[key])
  const ratios = resized.map((key) => (request[key] ?? 0) / (asked[key] ?? 1))
  const kept = ratios.reduce((product, ratio) => product * ratio, keptByOther ** replaced.length)
  return { request, changes: resized.length + replaced.length, kept }
}
