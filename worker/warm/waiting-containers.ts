import type { Lease } from '@/lib/cluster/nodes/nodes'
import { recordWarmContainers, type WarmState } from '@/lib/warm/warm-containers'
import type { WarmContainer } from '../runtime/runtime'
import type { PreparedImports } from './prepared-imports'
import type { WarmFiles } from './warm-files'

/** A warm container without a task. */
export interface Waiting {
  id: string
  /** Its request class. */
  key: string
  container: WarmContainer
  files: WarmFiles
  /** False: it imports modules, which may fail. */
  isReady: boolean
  /** Null: not measured yet. */
  memoryMib: number | null
}

/** The warm containers of a node that have no task, oldest first. */
export class WaitingContainers {
  readonly #all: Waiting[] = []
  /** What the database has. The first value is always recorded. */
  #recorded: WarmState = { containers: -1, memoryMib: 0 }

  constructor(private readonly imports: Pick<PreparedImports, 'areProven'>) {}

  [Symbol.iterator](): Iterator<Waiting> {
    // A copy, because they come and go meanwhile.
    return [...this.#all].values()
  }

  add(waiting: Waiting): void {
    this.#all.push(waiting)
  }

  has(waiting: Waiting): boolean {
    return this.#all.includes(waiting)
  }

  /** Returns false if it waits no more. */
  delete(waiting: Waiting): boolean {
    const index = this.#all.indexOf(waiting)
    if (index >= 0) this.#all.splice(index, 1)
    return index >= 0
  }

  /** Records their number and memory for people to see. */
  async record(lease: Lease): Promise<void> {
    const memoryMib = this.#all.reduce((sum, { memoryMib: used }) => sum + (used ?? 0), 0)
    const state = { containers: this.#all.length, memoryMib }
    if (this.#recorded.containers === state.containers && this.#recorded.memoryMib === memoryMib) return
    await recordWarmContainers(lease, state)
    this.#recorded = state
  }

  /**
   * Removes and returns one of a class, if there is one for a task. One that still imports modules gives them up for the
   * task. If none of its class ever finished them, it may be about to fail.
   */
  take(key: string): Waiting | undefined {
    const found = this.#all.filter((waiting) => waiting.key === key)
    const taken = found.find(({ isReady }) => isReady) ?? found.find(() => this.imports.areProven(key))
    if (taken !== undefined) this.delete(taken)
    return taken
  }
}
