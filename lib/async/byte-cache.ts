/** A value and the bytes that it takes. */
export interface Sized<Value> {
  value: Value
  bytes: number
}

/** Keeps the values that were used last, up to a number of bytes together. Each is made once, also for concurrent requests. */
export class ByteCache<Value> {
  readonly #kept = new Map<string, Sized<Value>>()
  readonly #making = new Map<string, Promise<Value>>()
  #bytes = 0

  constructor(private readonly maxBytes: number) {}

  /** Whether a value is kept or being made. */
  has(key: string): boolean {
    return this.#kept.has(key) || this.#making.has(key)
  }

  /** @throws the error of `make`; the next call tries again. */
  async get(key: string, make: () => Promise<Sized<Value>>): Promise<Value> {
    const kept = this.#kept.get(key)
    if (kept) {
      // A map keeps the order of insertion: the value that was used last becomes the last one.
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept.value
    }
    const making = this.#making.get(key) ?? this.#make(key, make)
    return making
  }

  #make(key: string, make: () => Promise<Sized<Value>>): Promise<Value> {
    const making = make()
      .then((made) => {
        this.#keep(key, made)
        return made.value
      })
      .finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    return making
  }

  #keep(key: string, made: Sized<Value>): void {
    if (made.bytes > this.maxBytes) return
    this.#kept.set(key, made)
    this.#bytes += made.bytes
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.maxBytes) return
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
  }
}
