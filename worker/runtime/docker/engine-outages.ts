/** A starting engine answers before all of its parts work. Faults this long after an outage belong to the outage. */
const settleMs = 30_000

/**
 * Remembers when the engine last did not answer. A task that failed after an outage says nothing about its node,
 * because a restart of the engine also breaks requests with errors that look like other faults.
 */
export class EngineOutages {
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(readonly now: () => number = () => performance.now()) {}

  /** The engine did not answer, or broke a connection. */
  note(): void {
    this.#lastMs = this.now()
  }

  /** Whether an outage ended after this time, or shortly before it. */
  affected(sinceMs: number): boolean {
    return this.#lastMs >= sinceMs - settleMs
  }
}
