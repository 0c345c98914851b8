/** A mistake in a search, with its place in the text. */
export interface SearchProblem {
  /** Number of characters before the mistake. */
  at: number
  message: string
}

/** A mistake as one sentence. */
export function describeSearchProblem({ at, message }: SearchProblem): string {
  return `Character ${at + 1}: ${message}`
}

/** Ends the reading of a search. */
export class Mistake extends Error {
  constructor(readonly problem: SearchProblem) {
    super(problem.message)
  }
}

export const fail = (at: number, message: string): never => {
  throw new Mistake({ at, message })
}

/** Reads the text of a search from left to right. */
export class SearchReader {
  at = 0

  constructor(readonly text: string) {}

  atEnd(): boolean {
    return this.at >= this.text.length
  }

  skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
  }

  /** Reads up to the first character that matches, or to the end. */
  until(end: RegExp): string {
    const from = this.at
    while (!this.atEnd() && !end.test(this.text[this.at] ?? '')) this.at++
    return this.text.slice(from, this.at)
  }

  /** Reads one of these texts, if the next characters are one. */
  take<Text extends string>(...texts: readonly Text[]): Text | undefined {
    const found = texts.find((candidate) => this.text.startsWith(candidate, this.at))
    this.at += found?.length ?? 0
    return found
  }

  /** Reads a text in quotes. A backslash keeps the character after it. */
  quoted(): string {
    const from = this.at
    this.at++
    let value = ''
    for (;;) {
      const character = this.text[this.at++]
      if (character === undefined) {
        this.at = from
        return fail(from, 'this quote is not closed. Write " at the end of the text.')
      }
      if (character === '"') return value
      value += character === '\\' ? (this.text[this.at++] ?? '') : character
    }
  }
}
