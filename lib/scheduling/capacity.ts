import { isEligible, isInPool, sharesOf } from './fits'
import type { NodeState, ResourceRequest } from './types'

/**
 * The free resources of a node, which change when jobs start and end. A GPU that is blocked counts as having
 * none free.
 */
export interface Capacity {
  cpuMilli: number
  memoryMib: number
  gpus: number[]
}

/** What a request needs on a node, independent of what is free there now. */
export interface CapacityNeed {
  gpuCount: number
  gpuMilli: number
  cpuMilli: number
  memoryMib: number
  /** Positions of the GPUs that the request may use. */
  gpuPositions: readonly number[]
}

export function capacityOf(node: NodeState): Capacity {
  return {
    cpuMilli: node.cpuMilli - node.usedCpuMilli,
    memoryMib: node.memoryMib - node.usedMemoryMib,
    gpus: node.gpus.map(({ allocatedMilli, blocked }) => (blocked === null ? 1000 - allocatedMilli : 0)),
  }
}

/** Returns what the request needs on the node, or null if it would not fit even on an empty node. */
export function needOn(request: ResourceRequest, node: NodeState): CapacityNeed | null {
  if (node.blocked !== null || !isInPool(request, node)) return null
  const { gpuCount, gpuMilli } = request
  const gpuPositions: number[] = []
  for (let position = 0; position < node.gpus.length; position++) {
    const gpu = node.gpus[position]
    if (gpu?.blocked === null && isEligible(request, gpu)) gpuPositions.push(position)
  }
  return gpuPositions.length < gpuCount
    ? null
    : { gpuCount, gpuMilli, gpuPositions, ...sharesOf(request, node) }
}

/** What one request needs on the nodes of a cluster. */
export class Needs {
  /** The same on all nodes of a kind. */
  readonly #byKind = new Map<string, CapacityNeed | null>()

  constructor(private readonly request: ResourceRequest) {}

  /** As {@link needOn}. */
  on(node: NodeState & { readonly kind: string }): CapacityNeed | null {
    const known = this.#byKind.get(node.kind)
    if (known !== undefined) return known
    const need = needOn(this.request, node)
    this.#byKind.set(node.kind, need)
    return need
  }
}

/** Returns a text that is equal for nodes which differ only in what is allocated on them. */
export function kindOf({ blocked, pool, dedicatedTo, cpuMilli, memoryMib, gpus }: NodeState): string {
  const traits = gpus.map((gpu) => [gpu.model, gpu.memoryMib, gpu.index, gpu.blocked])
  return JSON.stringify([blocked, pool, dedicatedTo ?? null, cpuMilli, memoryMib, traits])
}

/**
 * Checks whether the need fits into a capacity. Gives the same answer as `fits` for the node's current
 * capacity, but works for any capacity. The look-ahead calls this for thousands of capacities and does not
 * need GPU ids, which makes it cheaper.
 */
export function isFree(
  { gpuCount, gpuMilli, cpuMilli, memoryMib, gpuPositions }: CapacityNeed,
  capacity: Capacity,
): boolean {
  if (capacity.cpuMilli < cpuMilli || capacity.memoryMib < memoryMib) return false
  let free = 0
  for (const position of gpuPositions) if ((capacity.gpus[position] ?? 0) >= gpuMilli) free += 1
  return free >= gpuCount
}
