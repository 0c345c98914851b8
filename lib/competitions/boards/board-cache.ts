/** A value of less weight is never old. */
const heavyWeight = 1_000
/** A heavy value may be old for this multiple of its computing time, so computing takes at most a tenth of the time. */
const oldFactor = 10
/** An older value is not returned, even while a new one is computed. */
const maxOldMs = 60_000

interface Kept<Value> {
  version: number
  value: Value
  weight: number
  at: number
  tookMs: number
}

/**
 * Keeps what was computed of versioned rows, the values that were used last, up to a weight together. A light value is always
 * of the newest version. A heavy one, as a board with thousands of teams that changes every second, may be old for a
 * moment. So whatever decides what a reader may see belongs to the key, and not to the version.
 */
export class BoardCache<Value> {
  readonly #kept = new Map<string, Kept<Value>>()
  readonly #making = new Map<string, { version: number; value: Promise<Value> }>()
  #weight = 0

  constructor(
    private readonly maxWeight: number,
    private readonly weigh: (value: Value) => number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @param version read before `make` reads the rows
   * @throws the error of `make`; the next call tries again.
   */
  async get(key: string, version: number, make: () => Promise<Value>): Promise<Value> {
    for (;;) {
      const kept = this.#kept.get(key)
      if (kept) {
        // A map keeps the order of insertion: the value that was used last becomes the last one.
        this.#kept.delete(key)
        this.#kept.set(key, kept)
        if (kept.version >= version || this.#isYoung(kept, oldFactor * kept.tookMs)) return kept.value
      }
      const making = this.#making.get(key) ?? this.#make(key, version, make)
      if (kept && this.#isYoung(kept, maxOldMs)) {
        making.value.catch(() => {})
        return kept.value
      }
      const value = await making.value
      if (making.version >= version) return value
    }
  }

  #isYoung({ at, weight }: Kept<Value>, ms: number): boolean {
    return weight >= heavyWeight && this.now() - at <= Math.min(ms, maxOldMs)
  }

  #make(
    key: string,
    version: number,
    make: () => Promise<Value>,
  ): { version: number; value: Promise<Value> } {
    const began = this.now()
    const value = make()
      .then((made) => {
        this.#keep(key, {
          version,
          value: made,
          weight: this.weigh(made),
          at: this.now(),
          tookMs: this.now() - began,
        })
        return made
      })
      .finally(() => this.#making.delete(key))
    const making = { version, value }
    this.#making.set(key, making)
    return making
  }

  #keep(key: string, kept: Kept<Value>): void {
    this.#remove(key)
    this.#kept.set(key, kept)
    this.#weight += kept.weight
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.maxWeight) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#kept.get(key)?.weight ?? 0
    this.#kept.delete(key)
  }
}
