/** Minimum time for which an answer is fresh. */
const freshMs = 1_000
/** An answer is fresh for this multiple of its computing time, so computing takes at most a tenth of the time. */
const freshFactor = 10
const maxFreshMs = 30_000
/** An older answer is not returned, even while a new one is computed. */
const maxStaleMs = 60_000

interface Kept<Answer> {
  at: number
  tookMs: number
  answer: Answer
}

/**
 * Caches an answer that is expensive and often requested. In a small cluster it is at most a second old. The longer it
 * takes to compute, the longer it is fresh; the previous answer is returned while a new one is computed.
 */
export class AdaptiveCache<Answer> {
  #kept: Kept<Answer> | undefined
  #making: { at: number; answer: Promise<Answer> } | undefined

  constructor(
    private readonly make: () => Promise<Answer>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws the error of the computation; the next call tries again. */
  get(): Promise<Answer> {
    const now = this.now()
    const kept = this.#kept
    if (kept && now - kept.at <= freshFor(kept)) return Promise.resolve(kept.answer)
    const making = this.#making ?? this.#start(now)
    if (!kept || freshFor(kept) <= freshMs || now - kept.at > maxStaleMs) return making.answer
    making.answer.catch(() => {})
    return Promise.resolve(kept.answer)
  }

  #start(at: number): { at: number; answer: Promise<Answer> } {
    const finish = async () => {
      try {
        const answer = await this.make()
        this.#kept = { at, tookMs: this.now() - at, answer }
        return answer
      } finally {
        this.#making = undefined
      }
    }
    // Deferred, because a synchronous `make` would otherwise clear `#making` before it is set.
    const making = { at, answer: Promise.resolve().then(finish) }
    this.#making = making
    return making
  }
}

function freshFor({ tookMs }: Kept<unknown>): number {
  return Math.min(maxFreshMs, Math.max(freshMs, freshFactor * tookMs))
}
