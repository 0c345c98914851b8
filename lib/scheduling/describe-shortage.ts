import { isEligible, isInPool } from './fits'
import type { Fit, GpuState, NodeState, ResourceRequest } from './types'

/**
 * Says what no node has, as the end of a sentence: "it asks for 8 GPUs, and the largest node has 2".
 *
 * @param largeEnough number of nodes that are large enough.
 */
export function describeTooLarge(
  request: ResourceRequest,
  nodes: readonly NodeState[],
  largeEnough: number,
): string {
  const { instances, pool } = request
  const inPool = nodes.filter((node) => isInPool(request, node))
  if (inPool.length === 0) return `it asks for the pool ${pool}, which has no node`
  const ofPool = nodes.every((node) => node.dedicatedTo || isInPool(request, node))
    ? ''
    : ` of the pool ${pool}`
  const sizes = sizesOf(request, inPool)
  const all = andAll(sizes.map(({ asked }) => asked)) || 'no GPU'
  if (largeEnough > 0) {
    const what = largeEnough === inPool.length ? '' : ` with ${all} each`
    const enough = `only ${count(largeEnough, 'node')}${ofPool} ${largeEnough === 1 ? 'has' : 'have'} what it needs`
    return `it asks for ${count(instances, 'node')}${what}, and ${enough}`
  }
  const short = sizes.filter(({ isShort }) => isShort)
  const asked = andAll((short.length === 0 ? sizes : short).map((size) => size.asked))
  const each = instances > 1 ? `${instances} nodes with ${asked} each` : asked
  const [only, other] = short
  if (!only) return `it asks for ${each}, and no node${ofPool} has all of it`
  if (other) {
    const most = short.map(({ most, unit }) => `${most}${unit}`)
    return `it asks for ${each}, and no node${ofPool} has more than ${most.join(' or ')}`
  }
  return `it asks for ${each}, and ${only.instead ?? `the largest node${ofPool} has ${only.most}`}`
}

/** One of the amounts that a request asks of each node. */
interface Size {
  /** The request in words, such as "64 GB of memory". */
  asked: string
  /** Whether no node has it. */
  isShort: boolean
  /** The most that a node has, and its unit where `most` has none. */
  most: string
  unit: string
  /** Replaces "the largest node has …". */
  instead?: string
}

function sizesOf(request: ResourceRequest, nodes: readonly NodeState[]): Size[] {
  const { gpuCount, cpuMilli, memoryMib } = request
  const mostCpu = Math.max(...nodes.map((node) => node.cpuMilli))
  const mostMemory = Math.max(...nodes.map((node) => node.memoryMib))
  return [
    ...(gpuCount === 0 ? [] : [gpuSize(request, nodes)]),
    ...(cpuMilli === null
      ? []
      : [
          {
            asked: count(cpuMilli / 1000, 'core'),
            isShort: cpuMilli > mostCpu,
            most: `${tenths(mostCpu / 1000)}`,
            unit: ' cores',
          },
        ]),
    ...(memoryMib === null
      ? []
      : [
          {
            asked: `${tenths(memoryMib / 1024, Math.ceil)} GB of memory`,
            isShort: memoryMib > mostMemory,
            most: `${tenths(mostMemory / 1024)} GB`,
            unit: ' of memory',
          },
        ]),
  ]
}

function gpuSize(request: ResourceRequest, nodes: readonly NodeState[]): Size {
  const most = Math.max(
    ...nodes.map((node) => presentGpus(node).filter((gpu) => isEligible(request, gpu)).length),
  )
  return {
    asked: describeGpus(request),
    isShort: request.gpuCount > most,
    most: `${most}`,
    unit: most === 1 ? ' such GPU' : ' such GPUs',
    ...(most === 0 && { instead: describeOtherGpus(request, nodes.flatMap(presentGpus)) }),
  }
}

/** Says which GPUs there are instead of those that a request may use. */
function describeOtherGpus(request: ResourceRequest, gpus: readonly GpuState[]): string {
  const meets = (change: Partial<ResourceRequest>) =>
    gpus.some((gpu) => isEligible({ ...request, ...change }, gpu))
  if (request.gpuMemoryMib !== null && meets({ gpuMemoryMib: null })) {
    const suitable = gpus.filter((gpu) => isEligible({ ...request, gpuMemoryMib: null }, gpu))
    return `the largest GPU has ${gigabytes(Math.max(...suitable.map(({ memoryMib }) => memoryMib)))} GB`
  }
  if (request.gpuModel !== null && meets({ gpuModel: null })) {
    const models = [...new Set(gpus.map(({ model }) => model))]
    return `the nodes have ${andAll(models.slice(0, maxListedModels))}${models.length > maxListedModels ? ' and others' : ''}`
  }
  return 'no node has one'
}

function presentGpus({ gpus }: NodeState): readonly GpuState[] {
  return gpus.filter(({ blocked }) => blocked !== 'missing')
}

/** Describes the GPUs of a request, for example "8 GPUs of the model H100 with 80 GB". */
function describeGpus({ gpuCount, gpuMilli, gpuModel, gpuMemoryMib, allowedGpus }: ResourceRequest): string {
  return [
    gpuMilli < 1000 ? `${gpuMilli / 1000} of a GPU` : count(gpuCount, 'GPU'),
    ...(gpuModel === null ? [] : [`of the model ${gpuModel}`]),
    ...(gpuMemoryMib === null ? [] : [`with ${gigabytes(gpuMemoryMib)} GB`]),
    ...(allowedGpus === null ? [] : [`numbered ${listed(allowedGpus)}`]),
  ].join(' ')
}

const maxListedModels = 3
const maxListedGpus = 8

function listed(numbers: readonly number[]): string {
  const suffix = numbers.length > maxListedGpus ? ', …' : ''
  return `${numbers.slice(0, maxListedGpus).join(', ')}${suffix}`
}

const maxNamedNodes = 3

/**
 * Names closed nodes and why they are closed, or counts them if they are many. A node whose worker shut down normally counts as
 * lost: in both cases nobody knows whether it comes back.
 */
export function describeClosed(nodes: readonly NodeState[]): string {
  const closed = nodes.flatMap(({ name, blocked }) => {
    if (blocked === null) return []
    return [{ name, state: blocked === 'lost' ? 'without a worker' : blocked }]
  })
  if (closed.length <= maxNamedNodes && closed.every(({ name }) => name !== undefined))
    return `${closed.map(({ name, state }) => `${name} (${state})`).join(', ')}.`
  const states = new Map<string, number>()
  for (const { state } of closed) states.set(state, (states.get(state) ?? 0) + 1)
  return `${[...states].map(([state, many]) => `${count(many, 'node')} ${state}`).join(', ')}.`
}

/** The GPUs of a node that its worker does not find now. */
export function absentGpusOf({ gpus, absentGpus = [] }: NodeState): GpuState[] {
  return [...gpus.filter(({ blocked }) => blocked === 'missing'), ...absentGpus]
}

/** Names the GPUs that their nodes do not find now, and that the request may use. */
export function describeAbsent(request: ResourceRequest, nodes: readonly NodeState[]): string {
  const absent = nodes
    .filter((node) => isInPool(request, node))
    .flatMap((node) =>
      absentGpusOf(node)
        .filter((gpu) => isEligible(request, gpu))
        .map(({ index }) => `GPU ${index} of ${node.name ?? 'a node'}`),
    )
  const more = absent.length > maxListedGpus ? ', …' : ''
  return `It waits for ${absent.slice(0, maxListedGpus).join(', ')}${more}.`
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

/** Rounds to one decimal: down, so that the number itself fits. */
function tenths(value: number, round = Math.floor): number {
  return round(value * 10) / 10
}

function andAll(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`
}
