/** The speed is the mean of this time. */
const windowMs = 5_000

/** Measures the speed of a transfer. Times are in ms of a monotonic clock. */
export class TransferRate {
  #samples: { at: number; bytes: number }[] = []

  /** `bytes`: what is done in total. Less than before starts the measurement again. */
  add(bytes: number, at: number): void {
    const last = this.#samples.at(-1)
    if (last && bytes < last.bytes) this.#samples = []
    this.#samples.push({ at, bytes })
    // One sample before the window stays, so that the window is always full.
    while ((this.#samples[1]?.at ?? at) < at - windowMs) this.#samples.shift()
  }

  /** Bytes per second; null until enough is known. */
  perSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (!first || !last || last.at - first.at < 500) return null
    return ((last.bytes - first.bytes) * 1000) / (last.at - first.at)
  }
}
