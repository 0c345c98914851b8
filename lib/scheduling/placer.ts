import { type Capacity, type CapacityNeed, isFree, Needs } from './capacity'
import type { Cluster } from './cluster'
import { fits } from './fits'
import type { Fragmentation } from './fragmentation'
import type { NodeLedger } from './node-ledger'
import type { ResourceRequest, TaskPlacement } from './types'

/** A node and the resources of one instance on it. */
export interface NodePlacement {
  node: NodeLedger
  task: Omit<TaskPlacement, 'rank'>
}

interface GpuChoice {
  /** Growth of the node's fragmentation; lower is better. */
  cost: number
  gpus: readonly string[]
}

/**
 * Finds nodes for one request class. Caches the choice for each node until the node changes, so the cost
 * depends on the number of changed nodes and not on the size of the cluster.
 */
export class Placer {
  /** Nodes with enough capacity. */
  readonly #choices = new Map<NodeLedger, GpuChoice>()
  #version = 0
  readonly #needs: Needs

  constructor(
    readonly request: ResourceRequest,
    private readonly cluster: Cluster,
    private readonly fragmentation: Fragmentation,
  ) {
    this.#needs = new Needs(request)
  }

  /** Checks whether one instance fits on a node now. */
  fitsOn(node: NodeLedger): boolean {
    const need = this.#needs.on(node)
    return need !== null && isFree(need, node.capacity)
  }

  /** Returns the best `count` distinct nodes that `allows` accepts, or null if there are fewer. */
  find(
    count: number,
    allows: (node: NodeLedger, task: NodePlacement['task']) => boolean,
  ): NodePlacement[] | null {
    this.#refresh()
    const found: NodePlacement[] = []
    const tried = new Set<NodeLedger>()
    while (found.length < count) {
      const [node, choice] = this.#cheapest(tried) ?? []
      if (!node || !choice) return null
      tried.add(node)
      const fit = fits(this.request, node, choice.gpus)
      if (fit.ok && allows(node, fit.task)) found.push({ node, task: fit.task })
    }
    return found
  }

  #cheapest(tried: ReadonlySet<NodeLedger>): [NodeLedger, GpuChoice] | null {
    let best: [NodeLedger, GpuChoice] | null = null
    for (const [node, choice] of this.#choices) {
      const isBetter =
        best === null ||
        choice.cost < best[1].cost ||
        (choice.cost === best[1].cost && node.position < best[0].position)
      if (isBetter && !tried.has(node)) best = [node, choice]
    }
    return best
  }

  #refresh(): void {
    for (const node of this.cluster.changedSince(this.#version)) {
      const choice = chooseGpusOn(node, this.#needs.on(node), this.fragmentation)
      if (choice) this.#choices.set(node, choice)
      else this.#choices.delete(node)
    }
    this.#version = this.cluster.version
  }
}

/** Chooses the GPUs of a node that increase fragmentation least, or null if the request does not fit. */
function chooseGpusOn(
  node: NodeLedger,
  need: CapacityNeed | null,
  fragmentation: Fragmentation,
): GpuChoice | null {
  // Most nodes are full.
  if (!need || !isFree(need, node.capacity)) return null
  const { capacity } = node
  node.fragmentation ??= fragmentation.of(node, capacity)
  const current = node.fragmentation
  let best: { cost: number; positions: readonly number[] } | null = null
  for (const positions of gpuOptions(need, capacity)) {
    const cost = fragmentation.of(node, after(capacity, need, positions)) - current
    if (best === null || cost < best.cost) best = { cost, positions }
  }
  return (
    best && { cost: best.cost, gpus: best.positions.flatMap((position) => node.gpus[position]?.id ?? []) }
  )
}

/**
 * Returns the GPU choices to compare. GPUs with equal free capacity are equivalent, so one of each is enough.
 * A request for several GPUs takes the fullest ones.
 */
function gpuOptions({ gpuCount, gpuMilli, gpuPositions }: CapacityNeed, { gpus }: Capacity): number[][] {
  if (gpuCount === 0) return [[]]
  if (gpuCount === 1) return singleGpuOptions(gpuMilli, gpuPositions, gpus)
  const open = gpuPositions.filter((position) => (gpus[position] ?? 0) >= gpuMilli)
  open.sort((a, b) => (gpus[a] ?? 0) - (gpus[b] ?? 0) || a - b)
  return [open.slice(0, gpuCount)]
}

/** Returns the lowest position for each free capacity that is enough; those that occur at the highest positions first. */
function singleGpuOptions(
  gpuMilli: number,
  gpuPositions: readonly number[],
  gpus: readonly number[],
): number[][] {
  const options: number[][] = []
  const frees: number[] = []
  for (let i = gpuPositions.length - 1; i >= 0; i--) {
    const position = gpuPositions[i] as number
    const free = gpus[position] ?? 0
    if (free < gpuMilli) continue
    const known = frees.indexOf(free)
    if (known === -1) frees.push(free)
    options[known === -1 ? frees.length - 1 : known] = [position]
  }
  return options
}

function after(
  capacity: Capacity,
  { gpuMilli, cpuMilli, memoryMib }: CapacityNeed,
  positions: readonly number[],
): Capacity {
  const gpus = [...capacity.gpus]
  for (const position of positions) gpus[position] = (gpus[position] ?? 0) - gpuMilli
  return { cpuMilli: capacity.cpuMilli - cpuMilli, memoryMib: capacity.memoryMib - memoryMib, gpus }
}
