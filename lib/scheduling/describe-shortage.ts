import { isEligible, isInPool } from './fits'
import type { Fit, NodeState, ResourceRequest } from './types'

/**
 * Describes why a request never fits.
 *
 * @param largeEnough number of nodes that are large enough.
 */
export function describeTooLarge(
  request: ResourceRequest,
  nodes: readonly NodeState[],
  largeEnough: number,
): string {
  const { gpuCount, instances, pool } = request
  const requested = describeRequest(request)
  const ofPool = nodes.filter((node) => isInPool(request, node))
  if (ofPool.length === 0) return `It asks for the pool ${pool}, which has no node.`
  if (largeEnough > 0) {
    return `It asks for ${requested}; of the ${count(ofPool.length, 'node')} of its pool ${largeEnough} ${largeEnough === 1 ? 'is' : 'are'} large enough.`
  }
  const [largest] = ofPool
    .map((node) => ({ node, gpus: countEligible(request, node) }))
    .sort((a, b) => compareSizes(request, a, b))
  if (!largest) return ''
  if (gpuCount > 0 && largest.gpus === 0) return `It asks for ${requested}; no node of its pool has one.`
  if (instances > ofPool.length)
    return `It asks for ${requested}; its pool has ${count(ofPool.length, 'node')}.`
  return `It asks for ${requested}; ${describeLargest(request, largest, ofPool.length)}.`
}

/** A node, and its GPUs that the request may use. */
interface Sized {
  node: NodeState
  gpus: number
}

function countEligible(request: ResourceRequest, { gpus }: NodeState): number {
  return gpus.filter((gpu) => gpu.blocked !== 'missing' && isEligible(request, gpu)).length
}

/** Sorts the node first that has the most of what is scarce: GPUs if the request has any, then memory, then cores. */
function compareSizes({ gpuCount, cpuMilli }: ResourceRequest, a: Sized, b: Sized): number {
  const ofGpus = gpuCount > 0 ? b.gpus - a.gpus : 0
  const ofCpu = b.node.cpuMilli - a.node.cpuMilli
  const ofMemory = b.node.memoryMib - a.node.memoryMib
  return ofGpus || (cpuMilli === null ? ofMemory || ofCpu : ofCpu || ofMemory)
}

function describeLargest({ gpuCount }: ResourceRequest, { node, gpus }: Sized, nodes: number): string {
  const place = nodes === 1 ? 'the only node of its pool' : `the largest of the ${nodes} nodes of its pool`
  const name = node.name === undefined ? '' : `, ${node.name},`
  const cores = Math.floor(node.cpuMilli / 1000)
  const size = `${count(gpus, gpuCount === 0 ? 'GPU' : 'such GPU')}, ${count(cores, 'core')} and ${gib(node.memoryMib)} GiB of memory`
  return `${place}${name} has ${size}`
}

/** Describes a request, for example "2 nodes with 8 GPUs with 40 GB", with CPU and memory if it asks for them. */
function describeRequest(request: ResourceRequest): string {
  const { gpuCount, gpuModel, gpuMemoryMib, allowedGpus, cpuMilli, memoryMib, instances } = request
  const gpus = [
    gpuCount === 0 ? 'no GPU' : count(gpuCount, 'GPU'),
    ...(gpuModel === null ? [] : [`of the model ${gpuModel}`]),
    ...(gpuMemoryMib === null ? [] : [`with ${gigabytes(gpuMemoryMib)} GB`]),
    ...(allowedGpus === null ? [] : [`numbered ${listed(allowedGpus)}`]),
  ].join(' ')
  const resources = [
    ...(cpuMilli === null ? [] : [count(cpuMilli / 1000, 'core')]),
    ...(memoryMib === null ? [] : [`${requestedGib(memoryMib)} GiB of memory`]),
  ]
  return `${instances > 1 ? `${instances} nodes with ` : ''}${[gpus, ...resources].join(', ')}`
}

const maxListedGpus = 8

function listed(numbers: readonly number[]): string {
  const suffix = numbers.length > maxListedGpus ? ', …' : ''
  return `${numbers.slice(0, maxListedGpus).join(', ')}${suffix}`
}

/**
 * Counts nodes by why they are closed. A node whose worker shut down normally counts as lost: in both cases nobody
 * knows whether it comes back.
 */
export function describeClosed(nodes: readonly NodeState[]): string {
  const states = new Map<string, number>()
  for (const { blocked } of nodes) {
    if (blocked === null) continue
    const state = blocked === 'lost' ? 'without a worker' : blocked
    states.set(state, (states.get(state) ?? 0) + 1)
  }
  return `${[...states].map(([state, many]) => `${count(many, 'node')} ${state}`).join(', ')}.`
}

/** Describes what is missing now. Leaves out numbers that change whenever a job ends, because every change is sent to every waiting job. */
export function describeShortage(request: ResourceRequest, nodeFits: readonly { fit: Fit }[]): string {
  const { gpuCount, gpuMilli } = request
  const dimensions = new Set(nodeFits.flatMap(({ fit }) => (fit.ok ? [] : [fit.dimension])))
  const short = dimensions.has('cpu') ? 'CPU' : dimensions.has('memory') ? 'memory' : null
  if (short && gpuCount === 0) return `Not enough ${short} is free.`
  if (short && gpuCount === 1) return `A GPU is free, but its node does not have enough free ${short}.`
  if (short) return `GPUs are free, but no node with a free GPU has enough free ${short}.`
  if (gpuMilli < 1000) return `No suitable GPU has ${gpuMilli / 1000} of its capacity free.`
  if (gpuCount > 1) return `It needs ${gpuCount} GPUs on one node, and no node has that many free.`
  return 'All suitable GPUs are in use.'
}

/** Converts MiB to GB, the unit in which users request GPU memory. */
function gigabytes(mib: number): number {
  return Math.floor((mib * 2 ** 20) / 1e8) / 10
}

/** Converts requested MiB to GiB. A request may be a part of one. */
function requestedGib(mib: number): number {
  return Number((mib / 1024).toFixed(2))
}

/** Converts the MiB of a node to whole GiB. */
function gib(mib: number): number {
  return mib < 1024 ? requestedGib(mib) : Math.floor(mib / 1024)
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`
}
