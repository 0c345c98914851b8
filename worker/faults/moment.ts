import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '@/lib/scheduling/testing/simulate'

/** Chooses everything about one moment. The same seed, fault and number give the same choices. */
export class Moment {
  private readonly random: () => number
  private struckAt: number | undefined

  constructor(
    seed: number,
    fault: string,
    /** From 0. */
    readonly number: number,
  ) {
    const text = `${seed} ${fault} ${number}`
    this.random = randomNumbers([...text].reduce((hash, c) => Math.imul(hash, 31) + c.charCodeAt(0), 7))
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1))
  }

  /** One of several. */
  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.between(0, choices.length - 1)] ?? choices[0]
  }

  /** Waits for a random time: no condition describes the moment. */
  async wait(mostMs: number): Promise<void> {
    await sleep(this.between(0, mostMs))
  }

  /** Notes that the fault happens now. */
  strike(): void {
    this.struckAt ??= performance.now()
  }

  /** The time since the fault. */
  get recoveryMs(): number {
    return this.struckAt === undefined ? 0 : Math.round(performance.now() - this.struckAt)
  }
}
