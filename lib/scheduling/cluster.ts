import { NodeLedger } from './node-ledger'
import type { NodeState } from './types'

/** The nodes, and which of them changed: who keeps what it found out about nodes looks again only at these. */
export class Cluster {
  /** Each at its position. */
  readonly nodes: readonly NodeLedger[]
  /** Changes in their order, each with its number. Of a node's changes only the last counts. */
  #log: { node: NodeLedger; number: number }[] = []
  #count = 0
  readonly #last = new Map<NodeLedger, number>()

  constructor(states: readonly NodeState[]) {
    this.nodes = states.map((state, position) => new NodeLedger(state, position, (node) => this.#note(node)))
    for (const node of this.nodes) this.#note(node)
  }

  /** What has changed by now; see `changedSince`. */
  get mark(): number {
    return this.#count
  }

  /** The nodes that changed since a mark; since 0, all. */
  changedSince(mark: number): NodeLedger[] {
    const changed: NodeLedger[] = []
    for (let at = this.#log.length - 1; at >= 0; at--) {
      const entry = this.#log[at]
      if (!entry || entry.number <= mark) break
      if (this.#counts(entry)) changed.push(entry.node)
    }
    return changed
  }

  #note(node: NodeLedger): void {
    this.#count += 1
    this.#last.set(node, this.#count)
    this.#log.push({ node, number: this.#count })
    if (this.#log.length >= 2 * this.nodes.length + leastToDrop)
      this.#log = this.#log.filter((entry) => this.#counts(entry))
  }

  #counts({ node, number }: { node: NodeLedger; number: number }): boolean {
    return this.#last.get(node) === number
  }
}

/** So many entries that do not count are kept: dropping them looks at all. */
const leastToDrop = 1024
