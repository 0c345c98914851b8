import type { Capacity } from './capacity'
import { isEligible, isInPool, sharesOf } from './fits'
import type { Demand, NodeState, ResourceRequest } from './types'

/** A kind of node, with what each demand needs on it. */
interface NodeKind {
  key: string
  demands: readonly KindDemand[]
}

interface KindDemand {
  weight: number
  cpuMilli: number
  memoryMib: number
  gpuCount: number
  gpuMilli: number
  /** Whether each GPU of the node is suitable; null if all are. */
  eligible: readonly boolean[] | null
}

/** Node states in the cache. */
const maxCacheEntries = 200_000
/** Kinds of jobs that are considered: the most frequent ones. */
const maxDemands = 96

/** Requests for 1 to 8 whole GPUs always get a small weight, so that otherwise equal choices keep whole GPUs free. */
const baselineDemands: readonly Demand[] = [1, 2, 4, 8].map((gpuCount) => ({
  weight: 0.001,
  request: {
    gpuCount,
    gpuMilli: 1000,
    gpuMemoryMib: null,
    cpuMilli: 0,
    memoryMib: 0,
    allowedGpus: null,
    gpuModel: null,
    instances: 1,
    pool: 'best-effort',
  },
}))

/**
 * Measures how much of a node's free GPUs the expected jobs could not use, in thousandths of a GPU. The scheduler
 * places a job where this grows least. The first part is the measure of Weng et al., "Beware of Fragmentation:
 * Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023. For each kind of job it
 * counts all free GPU capacity if the node cannot take such a job, otherwise the free parts that are too small for
 * one, weighted by the frequency of the kind. It looks one job ahead and therefore exhausts a node's CPU before its
 * GPUs. The second part is our own and considers all expected jobs, also those without GPUs: it counts GPUs that the
 * remaining CPU or memory cannot serve. On the openb trace the mean allocation is 94.8 % with the first part alone and
 * 96.0 % with both.
 */
export class Fragmentation {
  readonly #workload: readonly Demand[]
  readonly #kinds = new Map<string, NodeKind>()
  readonly #kindOf = new WeakMap<NodeState, NodeKind>()
  readonly #cache = new Map<string, number>()

  readonly #perMilli: { cpuMilli: number; memoryMib: number }

  /** @param withSecondPart false: the published measure alone, for comparison. */
  constructor(
    workload: readonly Demand[],
    private readonly withSecondPart = true,
  ) {
    const withGpus = workload.filter(({ request }) => request.gpuCount > 0)
    const top = [...withGpus].sort((a, b) => b.weight - a.weight).slice(0, maxDemands)
    const sum = top.reduce((total, { weight }) => total + weight, 0)
    this.#perMilli = meanPerMilli(workload)
    const expected = top.map(({ request, weight }) => ({ request, weight: weight / sum }))
    this.#workload = [...expected, ...baselineDemands]
  }

  /** @param capacity the node's capacity, current or hypothetical. */
  of(node: NodeState, capacity: Capacity): number {
    const kind = this.#kind(node)
    const key = `${kind.key};${capacity.cpuMilli};${capacity.memoryMib};${capacity.gpus.join()}`
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    const measured = unusable(kind, capacity) + (this.withSecondPart ? this.#stranded(capacity) : 0)
    if (this.#cache.size >= maxCacheEntries) this.#cache.clear()
    this.#cache.set(key, measured)
    return measured
  }

  /** Free GPU capacity that the free CPU or memory cannot serve if all future jobs match the mean demand. */
  #stranded({ cpuMilli, memoryMib, gpus }: Capacity): number {
    const free = gpus.reduce((sum, milli) => sum + milli, 0)
    const servedBy = (amount: number, perMilli: number) => (perMilli === 0 ? free : amount / perMilli)
    const { cpuMilli: perCpu, memoryMib: perMemory } = this.#perMilli
    return free - Math.min(free, servedBy(cpuMilli, perCpu), servedBy(memoryMib, perMemory))
  }

  #kind(node: NodeState): NodeKind {
    const cached = this.#kindOf.get(node)
    if (cached) return cached
    const gpus = node.gpus.map(({ model, memoryMib, index }) => [model, memoryMib, index])
    const traits = JSON.stringify([node.pool, node.dedicatedTo, node.cpuMilli, node.memoryMib, gpus])
    const kind = this.#kinds.get(traits) ?? {
      key: String(this.#kinds.size),
      demands: this.#workload.flatMap(({ request, weight }) => demandOn(node, request, weight)),
    }
    this.#kinds.set(traits, kind)
    this.#kindOf.set(node, kind)
    return kind
  }
}

function demandOn(node: NodeState, request: ResourceRequest, weight: number): KindDemand {
  const { gpuCount, gpuMilli } = request
  const eligible = node.gpus.map((gpu) => isInPool(request, node) && isEligible(request, gpu))
  const all = eligible.every(Boolean)
  return { weight, ...sharesOf(request, node), gpuCount, gpuMilli, eligible: all ? null : eligible }
}

/** Free GPU capacity that the expected jobs could not use, weighted by job kind. */
function unusable({ demands }: NodeKind, capacity: Capacity): number {
  const free = capacity.gpus.reduce((sum, milli) => sum + milli, 0)
  let lost = 0
  for (const demand of demands) {
    const usable =
      capacity.cpuMilli < demand.cpuMilli || capacity.memoryMib < demand.memoryMib
        ? 0
        : usableBy(demand, capacity.gpus)
    lost += demand.weight * (free - usable)
  }
  return lost
}

/** Free thousandths on the GPUs that have enough capacity for the demand; 0 if there are too few such GPUs. */
function usableBy({ gpuCount, gpuMilli, eligible }: KindDemand, gpus: readonly number[]): number {
  let count = 0
  let usable = 0
  for (let position = 0; position < gpus.length; position++) {
    const free = gpus[position] ?? 0
    if (free < gpuMilli || (eligible !== null && !eligible[position])) continue
    count += 1
    usable += free
  }
  return count < gpuCount ? 0 : usable
}

/**
 * The part of the mean demand for CPU and memory that counts. With the whole demand, all nodes look alike if jobs without
 * GPUs request more CPU than the cluster has. Tried on the openb trace with two to eight times as many jobs without GPUs:
 * from 0.5 to 0.8, the allocation was highest at 0.6 and 0.7.
 */
const countedDemand = 0.7

/** CPU and memory that jobs request for each thousandth of a GPU. Jobs that take the node's share request none. */
function meanPerMilli(workload: readonly Demand[]): { cpuMilli: number; memoryMib: number } {
  let milli = 0
  let cpuMilli = 0
  let memoryMib = 0
  for (const { request, weight } of workload) {
    milli += weight * request.gpuCount * request.gpuMilli
    cpuMilli += weight * (request.cpuMilli ?? 0)
    memoryMib += weight * (request.memoryMib ?? 0)
  }
  const perMilli = (amount: number) => (milli === 0 ? 0 : (countedDemand * amount) / milli)
  return { cpuMilli: perMilli(cpuMilli), memoryMib: perMilli(memoryMib) }
}
