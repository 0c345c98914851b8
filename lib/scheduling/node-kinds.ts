import { couldFit } from './fits'
import type { NodeState, ResourceRequest } from './types'

/**
 * Groups nodes by what could run on them. A cluster of a thousand nodes has only a few kinds, so each request
 * is checked once for each kind.
 */
export class NodeKinds {
  readonly #kinds = new Map<string, NodeState>()
  readonly #kindOf: readonly string[]

  constructor(private readonly nodes: readonly NodeState[]) {
    this.#kindOf = nodes.map(kindOf)
    for (const [place, node] of nodes.entries()) this.#kinds.set(this.#kindOf[place] ?? '', node)
  }

  /** Returns one node of each kind. */
  examples(): NodeState[] {
    return [...this.#kinds.values()]
  }

  /**
   * Returns the nodes that are large enough for one instance, ignoring what runs there now, in their original order.
   */
  largeEnough(request: ResourceRequest): NodeState[] {
    const large = new Set<string>()
    for (const [kind, node] of this.#kinds) if (couldFit(request, node)) large.add(kind)
    return this.nodes.filter((_, index) => large.has(this.#kindOf[index] ?? ''))
  }
}

/** Everything that {@link couldFit} depends on. */
function kindOf({ pool, dedicatedTo, cpuMilli, memoryMib, gpus }: NodeState): string {
  const parts = gpus.map((gpu) => [gpu.index, gpu.model, gpu.memoryMib, gpu.blocked === 'missing'])
  return JSON.stringify([pool, dedicatedTo ?? null, cpuMilli, memoryMib, parts])
}
