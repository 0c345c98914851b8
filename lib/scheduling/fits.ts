import type { Fit, GpuState, NodeState, ResourceRequest } from './types'

/**
 * Whether one instance fits on a node now, and with which GPUs. Planning and committing both ask here, so that a plan
 * made on a stale snapshot is refused by the same rule that made it.
 */
export function fits(request: ResourceRequest, node: NodeState): Fit {
  if (!node.ready) return { ok: false, dimension: 'node' }
  const gpus = chooseGpus(request, node.gpus)
  if (!gpus) return { ok: false, dimension: 'gpu' }
  const { cpuMilli, memoryMib } = sharesOf(request, node)
  if (node.usedCpuMilli + cpuMilli > node.cpuMilli) return { ok: false, dimension: 'cpu' }
  if (node.usedMemoryMib + memoryMib > node.memoryMib) return { ok: false, dimension: 'memory' }
  return {
    ok: true,
    task: {
      nodeId: node.id,
      gpus: gpus.map(({ id }) => ({ id, milli: request.gpuMilli })),
      cpuMilli,
      memoryMib,
    },
  }
}

/** Whether the request could fit on the node if nothing else ran there. */
export function couldFit(request: ResourceRequest, node: NodeState): boolean {
  const empty = node.gpus.map((gpu) => ({ ...gpu, allocatedMilli: 0 }))
  return fits(request, { ...node, ready: true, usedCpuMilli: 0, usedMemoryMib: 0, gpus: empty }).ok
}

/**
 * CPU and memory of an instance on a node: what it asked for, else the node's share of the GPUs it holds. A job
 * without GPUs gets the share of one.
 */
export function sharesOf(request: ResourceRequest, node: NodeState): { cpuMilli: number; memoryMib: number } {
  const held = request.gpuCount === 0 ? 1 : (request.gpuCount * request.gpuMilli) / 1000
  const share = Math.min(1, held / Math.max(1, node.gpus.length))
  return {
    cpuMilli: request.cpuMilli ?? Math.floor(node.cpuMilli * share),
    memoryMib: request.memoryMib ?? Math.floor(node.memoryMib * share),
  }
}

/** The fullest GPUs that still have room come first, so that whole ones stay whole. */
function chooseGpus(request: ResourceRequest, gpus: readonly GpuState[]): GpuState[] | null {
  if (request.gpuCount === 0) return []
  const free = gpus
    .filter((gpu) => isEligible(request, gpu) && gpu.allocatedMilli + request.gpuMilli <= 1000)
    .sort((a, b) => b.allocatedMilli - a.allocatedMilli || a.index - b.index)
  return free.length < request.gpuCount ? null : free.slice(0, request.gpuCount)
}

function isEligible(request: ResourceRequest, gpu: GpuState): boolean {
  if (!gpu.usable) return false
  if (request.gpuMemoryMib !== null && gpu.memoryMib < request.gpuMemoryMib) return false
  return request.allowedGpus === null || request.allowedGpus.includes(gpu.index)
}
