export type ShellWords = { ok: true; words: string[] } | { ok: false; message: string }

/**
 * Splits a line of arguments as a POSIX shell does: blanks separate, quotes join, a backslash takes the next character
 * as it is (within double quotes only before " \\ $ ` and a line feed). Operators and variables are plain text.
 */
export function splitShellWords(line: string): ShellWords {
  const reader = new Reader(line)
  const message = reader.read()
  return message === null ? { ok: true, words: reader.words } : { ok: false, message }
}

/**
 * Where the arguments end that begin at `from`: before the first character outside of quotes that is one of `stops`, or
 * at the end of the line.
 */
export function endOfShellWords(
  line: string,
  from: number,
  stops: string,
): { ok: true; end: number } | { ok: false; message: string } {
  const reader = new Reader(line, from, stops)
  const message = reader.read()
  return message === null ? { ok: true, end: reader.at } : { ok: false, message }
}

/** The methods that read a part return what is wrong with it, or null. */
class Reader {
  readonly words: string[] = []
  #word: string | null = null

  constructor(
    readonly line: string,
    public at = 0,
    /** The characters that end the reading where they stand outside of quotes. */
    readonly stops = '',
  ) {}

  read(): string | null {
    while (this.at < this.line.length && !this.stops.includes(this.line.charAt(this.at))) {
      const fault = this.#step(this.line.charAt(this.at))
      if (fault !== null) return fault
    }
    this.#endWord()
    return null
  }

  #step(char: string): string | null {
    if (/\s/.test(char)) return this.#skip(() => this.#endWord())
    if (char === "'") return this.#singleQuoted()
    if (char === '"') return this.#doubleQuoted()
    return char === '\\' ? this.#escape() : this.#take(char)
  }

  #skip(first: () => void): null {
    first()
    this.at++
    return null
  }

  #take(char: string): null {
    return this.#skip(() => this.#add(char))
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  #endWord(): void {
    if (this.#word !== null) this.words.push(this.#word)
    this.#word = null
  }

  #singleQuoted(): string | null {
    const end = this.line.indexOf("'", this.at + 1)
    if (end === -1) return "the quote ' has no closing quote"
    this.#add(this.line.slice(this.at + 1, end))
    this.at = end + 1
    return null
  }

  #doubleQuoted(): string | null {
    this.#add('')
    this.at++
    while (this.at < this.line.length) {
      const char = this.line.charAt(this.at)
      if (char === '"') return this.#skip(() => {})
      const escapes = char === '\\' && /["\\$`\n]/.test(this.line.charAt(this.at + 1))
      const fault = escapes ? this.#escape() : this.#take(char)
      if (fault !== null) return fault
    }
    return 'the quote " has no closing quote'
  }

  #escape(): string | null {
    const next = this.line.charAt(this.at + 1)
    if (next === '') return 'a backslash stands at the end with nothing after it'
    // A backslash before a line feed continues the line.
    if (next !== '\n') this.#add(next)
    this.at += 2
    return null
  }
}
