import { kindOf } from './capacity'
import { NodeLedger } from './node-ledger'
import type { NodeState } from './types'

/** The nodes and a log of their changes. A cache of results per node rechecks only the nodes that changed. */
export class Cluster {
  /** Sorted by position. */
  readonly nodes: readonly NodeLedger[]
  /** The earliest end of a job on each node, by position. One array, because each reservation reads it for all nodes. */
  readonly nextEnds: Float64Array
  /** Changes in order, each with its number. Only the last change of each node counts. */
  #log: { node: NodeLedger; number: number }[] = []
  #count = 0
  readonly #latest = new Map<NodeLedger, number>()

  constructor(states: readonly NodeState[]) {
    this.nextEnds = new Float64Array(states.length)
    const kinds = new Map<string, string>()
    this.nodes = states.map((state, position) => {
      const traits = kindOf(state)
      const kind = kinds.get(traits) ?? String(kinds.size)
      kinds.set(traits, kind)
      return new NodeLedger(state, position, kind, (node) => this.#recordChange(node))
    })
    for (const node of this.nodes) this.#recordChange(node)
  }

  /** The current version; pass it to `changedSince` later. */
  get version(): number {
    return this.#count
  }

  /** Returns the nodes that changed after a version. Version 0 returns all nodes. */
  changedSince(version: number): NodeLedger[] {
    const changed: NodeLedger[] = []
    for (let index = this.#log.length - 1; index >= 0; index--) {
      const entry = this.#log[index]
      if (!entry || entry.number <= version) break
      if (this.#isLatest(entry)) changed.push(entry.node)
    }
    return changed
  }

  #recordChange(node: NodeLedger): void {
    this.nextEnds[node.position] = node.nextEnd
    this.#count += 1
    this.#latest.set(node, this.#count)
    this.#log.push({ node, number: this.#count })
    if (this.#log.length >= 2 * this.nodes.length + minObsoleteEntries)
      this.#log = this.#log.filter((entry) => this.#isLatest(entry))
  }

  #isLatest({ node, number }: { node: NodeLedger; number: number }): boolean {
    return this.#latest.get(node) === number
  }
}

/** The log is compacted only after this many obsolete entries, because compaction reads the whole log. */
const minObsoleteEntries = 1024
