import type { Fit, GpuState, NodeState, ResourceRequest } from './types'

/**
 * Checks whether one instance fits on a node now, and chooses its GPUs. Both the scheduler and the
 * transaction that commits its plan call this, so a plan from a stale snapshot is rejected by the same rule.
 * @param wanted ids of the GPUs that a plan chose. Default: the fullest GPUs that still have capacity.
 * @returns the task placement, or the first dimension that does not fit.
 */
export function fits(request: ResourceRequest, node: NodeState, wanted?: readonly string[]): Fit {
  if (node.blocked !== null) return { ok: false, dimension: 'node' }
  if (!isInPool(request, node)) return { ok: false, dimension: 'pool' }
  const gpus = wanted ? takeRequestedGpus(request, node.gpus, wanted) : chooseGpus(request, node.gpus)
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

/**
 * Best-effort jobs may use any pool; other jobs stay in their pool. Nodes provisioned for one job accept only
 * that job.
 */
export function isInPool(request: ResourceRequest, node: NodeState): boolean {
  if (request.dedicatedTo || node.dedicatedTo) return request.dedicatedTo === node.dedicatedTo
  return request.pool === 'best-effort' || request.pool === node.pool
}

/** Checks whether the request would fit if nothing else ran on the node and nothing were blocked. */
export function couldFit(request: ResourceRequest, node: NodeState): boolean {
  const gpus = node.gpus
    .filter(({ blocked }) => blocked !== 'missing')
    .map((gpu) => ({ ...gpu, allocatedMilli: 0, blocked: null }))
  return fits(request, { ...node, blocked: null, usedCpuMilli: 0, usedMemoryMib: 0, gpus }).ok
}

/**
 * The minimum that a config may request, and the minimum that an instance gets if its share of a node is
 * smaller. A container engine starts nothing in 1 MiB and reads 0 CPUs as unlimited.
 */
const minimumShare = { cpuMilli: 100, memoryMib: 103 }

/**
 * Returns the CPU and memory of an instance on a node: what it requested, otherwise the node's share for its
 * GPUs. A job without GPUs gets the share of one GPU.
 */
export function sharesOf(request: ResourceRequest, node: NodeState): { cpuMilli: number; memoryMib: number } {
  const held = request.gpuCount === 0 ? 1 : (request.gpuCount * request.gpuMilli) / 1000
  const share = Math.min(1, held / Math.max(1, node.gpus.length))
  return {
    cpuMilli: request.cpuMilli ?? Math.max(minimumShare.cpuMilli, Math.floor(node.cpuMilli * share)),
    memoryMib: request.memoryMib ?? Math.max(minimumShare.memoryMib, Math.floor(node.memoryMib * share)),
  }
}

/** Checks whether a GPU may be used by the request and has capacity for its share. */
function hasCapacity(request: ResourceRequest, gpu: GpuState): boolean {
  return gpu.allocatedMilli + request.gpuMilli <= 1000 && gpu.blocked === null && isEligible(request, gpu)
}

/** Checks whether a GPU matches the request, whatever its state. */
export function isEligible(request: ResourceRequest, gpu: GpuState): boolean {
  if (request.gpuMemoryMib !== null && gpu.memoryMib < request.gpuMemoryMib) return false
  if (request.gpuModel !== null && !matchesModel(gpu.model, request.gpuModel)) return false
  return request.allowedGpus === null || request.allowedGpus.includes(gpu.index)
}

/** Cached matches by requested model and GPU model. */
const modelMatches = new Map<string, Map<string, boolean>>()
const maxCachedModels = 1_000

/** Matches a GPU model against name parts separated by `|`. Results are cached. */
function matchesModel(model: string, wanted: string): boolean {
  const models = modelMatches.get(wanted) ?? new Map<string, boolean>()
  const found = models.get(model)
  if (found !== undefined) return found
  const name = model.toLowerCase()
  const parts = wanted.toLowerCase().split('|')
  const matches = parts.some((part) => name.includes(part.trim()))
  if (modelMatches.size >= maxCachedModels) modelMatches.clear()
  modelMatches.set(wanted, models.set(model, matches))
  return matches
}

function chooseGpus(request: ResourceRequest, gpus: readonly GpuState[]): readonly GpuState[] | null {
  if (request.gpuCount === 0) return []
  const free = gpus.filter((gpu) => hasCapacity(request, gpu))
  if (free.length < request.gpuCount) return null
  return free
    .sort((a, b) => b.allocatedMilli - a.allocatedMilli || a.index - b.index)
    .slice(0, request.gpuCount)
}

function takeRequestedGpus(
  request: ResourceRequest,
  gpus: readonly GpuState[],
  wanted: readonly string[],
): readonly GpuState[] | null {
  const found = gpus.filter((gpu) => wanted.includes(gpu.id) && hasCapacity(request, gpu))
  return found.length === request.gpuCount && wanted.length === request.gpuCount ? found : null
}
