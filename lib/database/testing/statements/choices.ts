import type ts from 'typescript'

/** An expression cannot be read from the source. */
export class Unreadable extends Error {
  constructor(node: ts.Node | undefined) {
    super(node?.getText().replaceAll(/\s+/g, ' ').slice(0, 80) ?? 'too many alternatives')
  }
}

const mostRuns = 1_000

/** Tries each combination of choices, one per run. In one run, a question has one answer. */
export class Choices {
  #answers = new Map<string, { index: number; count: number }>()

  /** The answer of this run to a question with `count` answers. */
  choose(key: string, count: number): number {
    if (count < 2) return 0
    const answer = this.#answers.get(key) ?? { index: 0, count }
    this.#answers.set(key, answer)
    return Math.min(answer.index, count - 1)
  }

  /** Runs `work` once for each combination. @throws Unreadable if there are too many */
  everyRun(work: () => void): void {
    this.#answers.clear()
    for (let runs = 1; ; runs += 1) {
      work()
      if (!this.#advance()) return
      if (runs === mostRuns) throw new Unreadable(undefined)
    }
  }

  /** Changes the last answer that has a next one, and forgets those after it. */
  #advance(): boolean {
    for (const [key, answer] of [...this.#answers].reverse()) {
      if (answer.index + 1 < answer.count) {
        answer.index += 1
        return true
      }
      this.#answers.delete(key)
    }
    return false
  }
}
