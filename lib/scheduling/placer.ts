import { type Capacity, type CapacityNeed, capacityOf, needOn } from './capacity'
import type { Cluster } from './cluster'
import { fits } from './fits'
import type { Fragmentation } from './fragmentation'
import type { NodeLedger } from './node-ledger'
import type { NodeState, ResourceRequest, TaskPlacement } from './types'

/** A place for one instance. */
export interface Place {
  node: NodeLedger
  task: Omit<TaskPlacement, 'rank'>
}

interface Choice {
  /** How much worse the node's room gets; lower is better. */
  cost: number
  gpus: readonly string[]
}

/**
 * Finds places for one request class of request. What it found out about a node it keeps until the node changes, so that a
 * thousand nodes cost little more than those that changed since the last time.
 */
export class Placer {
  /** Nodes with room. */
  readonly #open = new Map<NodeLedger, Choice>()
  #mark = 0

  constructor(
    readonly request: ResourceRequest,
    private readonly cluster: Cluster,
    private readonly fragmentation: Fragmentation,
  ) {}

  /** Whether the request fits on the node now. */
  fitsOn(node: NodeLedger): boolean {
    return fits(this.request, node).ok
  }

  /** The best `count` nodes, each other than the rest, of those that `allows`; null when there are not so many. */
  find(count: number, allows: (node: NodeLedger, task: Place['task']) => boolean): Place[] | null {
    this.#catchUp()
    const found: Place[] = []
    const refused = new Set<NodeLedger>()
    while (found.length < count) {
      const [node, choice] = this.#cheapest(refused) ?? []
      if (!node || !choice) return null
      refused.add(node)
      const fit = fits(this.request, node, choice.gpus)
      if (fit.ok && allows(node, fit.task)) found.push({ node, task: fit.task })
    }
    return found
  }

  #cheapest(refused: ReadonlySet<NodeLedger>): [NodeLedger, Choice] | null {
    let best: [NodeLedger, Choice] | null = null
    for (const [node, choice] of this.#open) {
      const isBetter =
        best === null ||
        choice.cost < best[1].cost ||
        (choice.cost === best[1].cost && node.position < best[0].position)
      if (isBetter && !refused.has(node)) best = [node, choice]
    }
    return best
  }

  #catchUp(): void {
    for (const node of this.cluster.changedSince(this.#mark)) {
      const choice = chooseOn(node, this.request, this.fragmentation)
      if (choice) this.#open.set(node, choice)
      else this.#open.delete(node)
    }
    this.#mark = this.cluster.mark
  }
}

/** The GPUs of a node on which the request does the least harm to what others could use; null where it does not fit. */
function chooseOn(node: NodeState, request: ResourceRequest, fragmentation: Fragmentation): Choice | null {
  // Most nodes are full, which this sees soonest.
  if (!fits(request, node).ok) return null
  const need = needOn(request, node)
  if (!need) return null
  const room = capacityOf(node)
  const before = fragmentation.of(node, room)
  let best: { cost: number; places: readonly number[] } | null = null
  for (const places of waysToTake(need, room)) {
    const cost = fragmentation.of(node, after(room, need, places)) - before
    if (best === null || cost < best.cost) best = { cost, places }
  }
  return best && { cost: best.cost, gpus: best.places.flatMap((place) => node.gpus[place]?.id ?? []) }
}

/** GPUs of equal room are as good as each other: one way for each room. Several GPUs at once are the fullest ones. */
function waysToTake({ gpuCount, gpuMilli, places }: CapacityNeed, { gpus }: Capacity): number[][] {
  if (gpuCount === 0) return [[]]
  const open = places
    .map((place) => ({ place, free: gpus[place] ?? 0 }))
    .filter(({ free }) => free >= gpuMilli)
  if (gpuCount === 1)
    return [...new Map(open.toReversed().map(({ place, free }) => [free, [place]])).values()]
  open.sort((a, b) => a.free - b.free || a.place - b.place)
  return [open.slice(0, gpuCount).map(({ place }) => place)]
}

function after(
  room: Capacity,
  { gpuMilli, cpuMilli, memoryMib }: CapacityNeed,
  places: readonly number[],
): Capacity {
  const gpus = [...room.gpus]
  for (const place of places) gpus[place] = (gpus[place] ?? 0) - gpuMilli
  return { cpuMilli: room.cpuMilli - cpuMilli, memoryMib: room.memoryMib - memoryMib, gpus }
}
