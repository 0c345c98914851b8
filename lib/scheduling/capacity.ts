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
