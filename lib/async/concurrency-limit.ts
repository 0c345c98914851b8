/** Lets only so many pieces of work run at once, and only so many wait; the rest is turned away at once. */
export class ConcurrencyLimit {
  readonly #size: number
  readonly #queueLimit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(size: number, queueLimit: number) {
    this.#size = size
    this.#queueLimit = queueLimit
  }

  /** Runs `work` when a slot is free. `{ ok: false }`: too many wait already, and it was not run. */
  async run<T>(work: () => Promise<T>): Promise<{ ok: true; value: T } | { ok: false }> {
    if (this.#running < this.#size) this.#running++
    else if (this.#waiting.length >= this.#queueLimit) return { ok: false }
    // Whoever leaves hands the slot on, so that `#running` stays as it is.
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    try {
      return { ok: true, value: await work() }
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
