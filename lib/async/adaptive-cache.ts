/** For so long one answer serves all who ask. */
const freshMs = 1_000
/** An answer that took long serves so many times as long as it took: making it takes a tenth of the time at most. */
const worthTimes = 10
const longestFreshMs = 30_000
/** What is older than this helps nobody while a new one is made. */
const oldestMs = 60_000

interface Kept<Answer> {
  at: number
  tookMs: number
  answer: Answer
}

/**
 * An answer that costs much and that many ask for. In a small cluster it is a second old at most. Where making it takes
 * longer than that is worth, it serves for longer, and the one before serves those who ask while a new one is made.
 */
export class AdaptiveCache<Answer> {
  #kept: Kept<Answer> | undefined
  #making: { at: number; answer: Promise<Answer> } | undefined

  constructor(
    private readonly make: () => Promise<Answer>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws what making it throws; the next one who asks has it tried again. */
  get(): Promise<Answer> {
    const now = this.now()
    const kept = this.#kept
    if (kept && now - kept.at <= freshFor(kept)) return Promise.resolve(kept.answer)
    const making = this.#making ?? this.#start(now)
    if (!kept || freshFor(kept) <= freshMs || now - kept.at > oldestMs) return making.answer
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
    // Once it stands there: what is made without waiting would else be cleared before it is set.
    const making = { at, answer: Promise.resolve().then(finish) }
    this.#making = making
    return making
  }
}

function freshFor({ tookMs }: Kept<unknown>): number {
  return Math.min(longestFreshMs, Math.max(freshMs, worthTimes * tookMs))
}
