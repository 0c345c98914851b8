import type { Fit, GpuState, NodeState, ResourceRequest } from './types'

/**
 * Whether one instance fits on a node now, and with which GPUs. Planning and committing both ask here, so that a plan
 * made on a stale snapshot is refused by the same rule that made it.
 *
 * @param wanted ids of the GPUs that a plan chose; left out, the fullest ones that still have room.
 */
export function fits(request: ResourceRequest, node: NodeState, wanted?: readonly string[]): Fit {
  if (node.blocked !== null) return { ok: false, dimension: 'node' }
  if (!isOfPool(request, node)) return { ok: false, dimension: 'pool' }
  const gpus = wanted ? takeWanted(request, node.gpus, wanted) : chooseGpus(request, node.gpus)
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

/** Best effort takes what is idle anywhere; all others stay in their pool. Nodes brought up for a job are its own pool. */
export function isOfPool(request: ResourceRequest, node: NodeState): boolean {
  if (request.dedicatedTo || node.dedicatedTo) return request.dedicatedTo === node.dedicatedTo
  return request.pool === 'best-effort' || request.pool === node.pool
}

/** Whether the request could fit on the node if nothing else ran there and nothing of it were blocked. */
export function couldFit(request: ResourceRequest, node: NodeState): boolean {
  const gpus = node.gpus
    .filter(({ blocked }) => blocked !== 'missing')
    .map((gpu) => ({ ...gpu, allocatedMilli: 0, blocked: null }))
  return fits(request, { ...node, blocked: null, usedCpuMilli: 0, usedMemoryMib: 0, gpus }).ok
}

/**
 * The least that a config may ask for, and so what an instance gets whose share of a node is less: an engine starts
 * nothing in 1 MiB, and takes no core at all for all of them.
 */
const least = { cpuMilli: 100, memoryMib: 103 }

/**
 * CPU and memory of an instance on a node: what it asked for, else the node's share of the GPUs it holds. A job
 * without GPUs gets the share of one.
 */
export function sharesOf(request: ResourceRequest, node: NodeState): { cpuMilli: number; memoryMib: number } {
  const held = request.gpuCount === 0 ? 1 : (request.gpuCount * request.gpuMilli) / 1000
  const share = Math.min(1, held / Math.max(1, node.gpus.length))
  return {
    cpuMilli: request.cpuMilli ?? Math.max(least.cpuMilli, Math.floor(node.cpuMilli * share)),
    memoryMib: request.memoryMib ?? Math.max(least.memoryMib, Math.floor(node.memoryMib * share)),
  }
}

/** Whether a GPU may be given to the request at all, and has room for its share. */
function hasCapacity(request: ResourceRequest, gpu: GpuState): boolean {
  return gpu.allocatedMilli + request.gpuMilli <= 1000 && gpu.blocked === null && isEligible(request, gpu)
}

/** Whether a GPU is one of those that the request asks for, whatever its state. */
export function isEligible(request: ResourceRequest, gpu: GpuState): boolean {
  if (request.gpuMemoryMib !== null && gpu.memoryMib < request.gpuMemoryMib) return false
  if (request.gpuModel !== null && !isOfModel(gpu.model, request.gpuModel)) return false
  return request.allowedGpus === null || request.allowedGpus.includes(gpu.index)
}

/** What was found, by what was wanted and the model. */
const known = new Map<string, Map<string, boolean>>()
const mostKnown = 1_000

/** Models are named by a part of their names, several with `|` between. What was found is remembered. */
function isOfModel(model: string, wanted: string): boolean {
  const models = known.get(wanted) ?? new Map<string, boolean>()
  const found = models.get(model)
  if (found !== undefined) return found
  const name = model.toLowerCase()
  const parts = wanted.toLowerCase().split('|')
  const is = parts.some((part) => name.includes(part.trim()))
  if (known.size >= mostKnown) known.clear()
  known.set(wanted, models.set(model, is))
  return is
}

function chooseGpus(request: ResourceRequest, gpus: readonly GpuState[]): readonly GpuState[] | null {
  if (request.gpuCount === 0) return []
  const free = gpus.filter((gpu) => hasCapacity(request, gpu))
  if (free.length < request.gpuCount) return null
  return free
    .sort((a, b) => b.allocatedMilli - a.allocatedMilli || a.index - b.index)
    .slice(0, request.gpuCount)
}

function takeWanted(
  request: ResourceRequest,
  gpus: readonly GpuState[],
  wanted: readonly string[],
): readonly GpuState[] | null {
  const found = gpus.filter((gpu) => wanted.includes(gpu.id) && hasCapacity(request, gpu))
  return found.length === request.gpuCount && wanted.length === request.gpuCount ? found : null
}
