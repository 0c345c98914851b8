import { couldFit } from './fits'
import type { NodeState, ResourceRequest } from './types'

/**
 * Nodes by what could ever run there. A cluster of a thousand nodes has a few kinds: what a request could have is found out
 * once for each of them.
 */
export class NodeKinds {
  readonly #kinds = new Map<string, NodeState>()
  readonly #kindOf: readonly string[]

  constructor(private readonly nodes: readonly NodeState[]) {
    this.#kindOf = nodes.map(kindOf)
    for (const [place, node] of nodes.entries()) this.#kinds.set(this.#kindOf[place] ?? '', node)
  }

  /** The nodes that are large enough for one instance, whatever runs there now, in their order. */
  largeEnough(request: ResourceRequest): NodeState[] {
    const large = new Set<string>()
    for (const [kind, node] of this.#kinds) if (couldFit(request, node)) large.add(kind)
    return this.nodes.filter((_, place) => large.has(this.#kindOf[place] ?? ''))
  }
}

/** All that {@link couldFit} goes by. */
function kindOf({ pool, dedicatedTo, cpuMilli, memoryMib, gpus }: NodeState): string {
  const parts = gpus.map((gpu) => [gpu.index, gpu.model, gpu.memoryMib, gpu.blocked === 'missing'])
  return JSON.stringify([pool, dedicatedTo ?? null, cpuMilli, memoryMib, parts])
}
