interface Window {
  start: number
  count: number
  /** Events of the window before. */
  previous: number
}

/**
 * Counts the events of many keys, such as users, in sliding windows in this process's memory. The events of the window
 * before count in proportion to how much of it is still in the last `windowMs` ("sliding window counter"), so a key
 * needs one small entry and not one for each event. Refused events do not count. Time comes in as an argument, in
 * milliseconds.
 */
export class SlidingWindows {
  readonly #windows = new Map<string, Window>()

  /** @param maxKeys maximum number of entries. If it is exceeded, the entry whose window began first is forgotten. */
  constructor(
    private readonly windowMs: number,
    private readonly maxKeys: number,
  ) {}

  /**
   * Counts one event. Returns null, or the seconds until one is permitted again if `limit` is reached.
   * @param limit at least 1.
   */
  hit(key: string, limit: number, now: number): number | null {
    const window = this.#windowOf(key, now)
    const elapsed = now - window.start
    const remembered = window.previous * (1 - elapsed / this.windowMs)
    if (remembered + window.count + 1 > limit)
      return Math.max(1, Math.ceil(this.#waitMs(window, limit, elapsed) / 1000))
    window.count++
    return null
  }

  get size(): number {
    return this.#windows.size
  }

  #windowOf(key: string, now: number): Window {
    const known = this.#windows.get(key)
    const age = known ? now - known.start : Number.POSITIVE_INFINITY
    if (known && age < this.windowMs) return known
    const follows = known !== undefined && age < 2 * this.windowMs
    const window = follows
      ? { start: known.start + this.windowMs, count: 0, previous: known.count }
      : { start: now, count: 0, previous: 0 }
    // Inserted again, so that the entries are in the order in which their windows began.
    this.#windows.delete(key)
    this.#windows.set(key, window)
    for (const oldest of this.#windows.keys()) {
      if (this.#windows.size <= this.maxKeys) break
      this.#windows.delete(oldest)
    }
    return window
  }

  /** The time until one more event is within the limit. */
  #waitMs({ count, previous }: Window, limit: number, elapsed: number): number {
    const { windowMs } = this
    if (count < limit) return windowMs * (1 - (limit - 1 - count) / previous) - elapsed
    return windowMs * (2 - (limit - 1) / count) - elapsed
  }
}
