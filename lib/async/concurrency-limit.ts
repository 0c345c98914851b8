/** Limits how many pieces of work run at the same time and how many wait. More are refused immediately. */
export class ConcurrencyLimit {
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(
    private readonly size: number,
    private readonly queueLimit: number,
  ) {}

  /** Runs `work` when a slot is free. `{ ok: false }`: too many are waiting, and `work` does not run. */
  async run<T>(work: () => Promise<T>): Promise<{ ok: true; value: T } | { ok: false }> {
    if (this.#running < this.size) this.#running++
    else if (this.#waiting.length >= this.queueLimit) return { ok: false }
    // Work that ends passes its slot on, so `#running` does not change.
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

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqSlots?: Map<string, number> }
shared.gpuqSlots ??= new Map()
const taken = shared.gpuqSlots

/** Takes a slot of a name, such as a user's uploads. Returns a function that releases it; null if all are taken. */
export function takeSlot(name: string, limit: number): (() => void) | null {
  const count = taken.get(name) ?? 0
  if (count >= limit) return null
  taken.set(name, count + 1)
  let released = false
  return () => {
    if (released) return
    released = true
    const left = (taken.get(name) ?? 1) - 1
    if (left > 0) taken.set(name, left)
    else taken.delete(name)
  }
}
