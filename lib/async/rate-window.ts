/** Counts events in fixed windows of time, in this process's memory. Time comes in as an argument, in milliseconds. */
export class RateWindow {
  #start = Number.NEGATIVE_INFINITY
  #count = 0

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** Counts one event. Returns null, or the seconds until the window ends when it is over the limit. */
  hit(now: number): number | null {
    if (now - this.#start >= this.windowMs) {
      this.#start = now
      this.#count = 0
    }
    this.#count++
    return this.#count <= this.limit ? null : Math.ceil((this.#start + this.windowMs - now) / 1000)
  }
}
