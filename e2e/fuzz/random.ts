import { randomNumbers } from '@/lib/scheduling/testing/simulate'

/** Random choices that depend only on the seed, so that a request can be made again. */
export class Random {
  readonly #next: () => number

  constructor(readonly seed: number) {
    this.#next = randomNumbers(seed)
  }

  /** A whole number from 0, less than `most`. */
  upTo(most: number): number {
    return Math.floor(this.#next() * most)
  }

  chance(probability: number): boolean {
    return this.#next() < probability
  }

  /** @throws If there is no item. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('There is nothing to choose from.')
    return items[this.upTo(items.length)] as T
  }

  /** An item, or undefined if there is none. */
  pickAny<T>(items: readonly T[]): T | undefined {
    return items[this.upTo(items.length)]
  }
}
