import { fits, hasRoom } from './fits'
import { type Fragmentation, type Room, roomOf } from './fragmentation'
import type { Changes, Mark, NodeBook } from './node-book'
import type { NodeState, ResourceRequest, TaskPlacement } from './types'

/** A place for one instance. */
export interface Place {
  node: NodeBook
  task: Omit<TaskPlacement, 'rank'>
}

interface Choice {
  /** How much worse the node's room gets; lower is better. */
  cost: number
  gpus: readonly string[]
}

/**
 * Finds places for one shape of request. What it found out about a node it keeps until the node changes, so that a
 * thousand nodes cost little more than those that changed since the last time.
 */
export class Placer {
  /** Nodes with room. */
  readonly #open = new Map<NodeBook, Choice>()
  #mark: Mark | null = null

  constructor(
    readonly request: ResourceRequest,
    private readonly nodes: readonly NodeBook[],
    private readonly changes: Changes,
    private readonly fragmentation: Fragmentation,
  ) {}

  /** Whether the request fits on the node now. */
  fitsOn(node: NodeBook): boolean {
    return fits(this.request, node).ok
  }

  /** The best `count` nodes, each other than the rest, of those that `allows`; null when there are not so many. */
  find(count: number, allows: (node: NodeBook, task: Place['task']) => boolean): Place[] | null {
    this.#catchUp()
    const found: Place[] = []
    const refused = new Set<NodeBook>()
    while (found.length < count) {
      const [node, choice] = this.#cheapest(refused) ?? []
      if (!node || !choice) return null
      refused.add(node)
      const fit = fits(this.request, node, choice.gpus)
      if (fit.ok && allows(node, fit.task)) found.push({ node, task: fit.task })
    }
    return found
  }

  #cheapest(refused: ReadonlySet<NodeBook>): [NodeBook, Choice] | null {
    let best: [NodeBook, Choice] | null = null
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
    const changed = this.#mark === null ? null : this.changes.since(this.#mark)
    this.#mark = this.changes.mark
    for (const node of changed ?? this.nodes) {
      const choice = this.fitsOn(node) ? chooseOn(node, this.request, this.fragmentation) : null
      if (choice) this.#open.set(node, choice)
      else this.#open.delete(node)
    }
  }
}

/** The GPUs of a node on which the request does the least harm to what others could use. */
function chooseOn(node: NodeState, request: ResourceRequest, fragmentation: Fragmentation): Choice | null {
  const room = roomOf(node)
  const before = fragmentation.of(node, room)
  let best: Choice | null = null
  for (const places of waysToTake(node, request)) {
    const cost = fragmentation.of(node, after(node, request, room, places)) - before
    if (best !== null && best.cost <= cost) continue
    best = { cost, gpus: places.flatMap((place) => node.gpus[place]?.id ?? []) }
  }
  return best
}

/** GPUs of equal room are as good as each other: one way for each room. Several GPUs at once are the fullest ones. */
function waysToTake(node: NodeState, request: ResourceRequest): number[][] {
  if (request.gpuCount === 0) return [[]]
  const open = node.gpus.flatMap((gpu, place) => (hasRoom(request, gpu) ? [place] : []))
  const used = (place: number) => node.gpus[place]?.allocatedMilli ?? 0
  if (request.gpuCount > 1)
    return [open.sort((a, b) => used(b) - used(a) || a - b).slice(0, request.gpuCount)]
  const byRoom = new Map(open.toReversed().map((place) => [used(place), [place]]))
  return [...byRoom.values()]
}

function after(node: NodeState, request: ResourceRequest, room: Room, places: readonly number[]): Room {
  const fit = fits(
    request,
    node,
    places.flatMap((place) => node.gpus[place]?.id ?? []),
  )
  if (!fit.ok) throw new Error('a way that was found open does not fit')
  return {
    cpuMilli: room.cpuMilli - fit.task.cpuMilli,
    memoryMib: room.memoryMib - fit.task.memoryMib,
    gpus: room.gpus.map((free, place) => (places.includes(place) ? free - request.gpuMilli : free)),
  }
}
