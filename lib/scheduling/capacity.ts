import { isEligible, isOfPool, sharesOf } from './fits'
import type { NodeState, ResourceRequest } from './types'

/** What changes of a node as jobs come and go. Free room; of a GPU that may not be given out, none. */
export interface Capacity {
  cpuMilli: number
  memoryMib: number
  gpus: number[]
}

/** What a request needs of a node, whatever is free there. */
export interface CapacityNeed {
  gpuCount: number
  gpuMilli: number
  cpuMilli: number
  memoryMib: number
  /** Positions of the GPUs that it may be given. */
  places: readonly number[]
}

/** A node's free room now. */
export function capacityOf(node: NodeState): Capacity {
  return {
    cpuMilli: node.cpuMilli - node.usedCpuMilli,
    memoryMib: node.memoryMib - node.usedMemoryMib,
    gpus: node.gpus.map(({ allocatedMilli, blocked }) => (blocked === null ? 1000 - allocatedMilli : 0)),
  }
}

/** Null where the request would not fit whatever were free. */
export function needOn(request: ResourceRequest, node: NodeState): CapacityNeed | null {
  if (node.blocked !== null || !isOfPool(request, node)) return null
  const { gpuCount, gpuMilli } = request
  const places: number[] = []
  for (let place = 0; place < node.gpus.length; place++) {
    const gpu = node.gpus[place]
    if (gpu?.blocked === null && isEligible(request, gpu)) places.push(place)
  }
  return places.length < gpuCount ? null : { gpuCount, gpuMilli, places, ...sharesOf(request, node) }
}

/**
 * Whether what is needed is free: what `fits` answers for a node as it stands, for any room of it. Looking ahead asks
 * this for thousands of rooms, and needs no names of GPUs.
 */
export function isFree(
  { gpuCount, gpuMilli, cpuMilli, memoryMib, places }: CapacityNeed,
  room: Capacity,
): boolean {
  if (room.cpuMilli < cpuMilli || room.memoryMib < memoryMib) return false
  let free = 0
  for (const place of places) if ((room.gpus[place] ?? 0) >= gpuMilli) free += 1
  return free >= gpuCount
}
