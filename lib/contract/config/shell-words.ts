export type ShellWords = { ok: true; words: string[] } | { ok: false; message: string }

/** A word of a command before the shell expands anything. */
export interface ShellWord {
  text: string
  /** Whether a part of it was in quotes: then it may be a text with blanks. */
  quoted: boolean
}

/** One program with its arguments, and the files that its input and output are redirected to. */
export interface ShellCommand {
  words: ShellWord[]
  redirects: ShellWord[]
}

export type ShellCommands = { ok: true; commands: ShellCommand[] } | { ok: false; message: string }

/**
 * Splits a line of arguments as a POSIX shell does: blanks separate, quotes join, a backslash takes the next character
 * as it is (within double quotes only before " \ $ ` and a line feed). Operators and variables are plain text.
 */
export function splitShellWords(line: string): ShellWords {
  const reader = new Reader(line)
  const message = reader.read()
  if (message !== null) return { ok: false, message }
  return { ok: true, words: reader.commands.flatMap(({ words }) => words.map(({ text }) => text)) }
}

/** Where the arguments end that begin at `from`: before the first `stop` outside of quotes, or at the end of the line. */
export function endOfShellWords(
  line: string,
  from: number,
  stop: string,
): { ok: true; end: number } | { ok: false; message: string } {
  const reader = new Reader(line, { from, stop })
  const message = reader.read()
  return message === null ? { ok: true, end: reader.at } : { ok: false, message }
}

/** Deeper than people nest `$(a $(b $(…)))`. */
const maxDepth = 8

/**
 * The simple commands of a shell's line in order, with those within `$(…)` and backquotes. Nothing is run or expanded.
 * A here-document is refused, because its content is no command.
 */
export function readShellCommands(line: string, depth = 0): ShellCommands {
  if (depth > maxDepth) return { ok: false, message: 'its $(…) are nested too deeply: put them in a script' }
  const reader = new Reader(line, { depth })
  const message = reader.read()
  return message === null ? { ok: true, commands: reader.commands } : { ok: false, message }
}

interface ReaderOptions {
  from?: number
  /** Ends the reading where it stands outside of quotes. */
  stop?: string
  /** How many `$(…)` are around the line. If absent, the line is arguments, in which operators are plain text. */
  depth?: number
}

/** The methods that read a part return what is wrong with it, or null. */
class Reader {
  readonly commands: ShellCommand[] = []
  at: number
  readonly #stop: string | undefined
  readonly #depth: number | undefined
  #command: ShellCommand = { words: [], redirects: [] }
  #word: ShellWord | null = null
  #redirects = false

  constructor(
    readonly line: string,
    { from = 0, stop, depth }: ReaderOptions = {},
  ) {
    this.at = from
    this.#stop = stop
    this.#depth = depth
  }

  read(): string | null {
    while (this.at < this.line.length && this.line.charAt(this.at) !== this.#stop) {
      const fault = this.#step(this.line.charAt(this.at))
      if (fault !== null) return fault
    }
    this.#endCommand()
    return null
  }

  #step(char: string): string | null {
    const isCommand = this.#depth !== undefined
    if (isCommand && '\n;&|()'.includes(char)) return this.#operator(char)
    if (/\s/.test(char)) return this.#skip(() => this.#endWord())
    if (char === "'") return this.#singleQuoted()
    if (char === '"') return this.#doubleQuoted()
    if (char === '\\') return this.#escape()
    if (isCommand && char === '#' && this.#word === null) return this.#comment()
    if (isCommand && '<>'.includes(char)) return this.#redirect()
    return this.#takeExpanded(char)
  }

  #skip(first: () => void): null {
    first()
    this.at++
    return null
  }

  #take(char: string): null {
    return this.#skip(() => this.#add(char))
  }

  #takeExpanded(char: string): string | null {
    const expands = this.#depth !== undefined && (char === '`' || char === '$')
    return expands ? this.#expansion(char, this.#depth ?? 0) : this.#take(char)
  }

  #add(text: string, quoted = false): void {
    this.#word ??= { text: '', quoted: false }
    this.#word.text += text
    this.#word.quoted ||= quoted
  }

  #endWord(): void {
    if (this.#word === null) return
    const list = this.#redirects ? this.#command.redirects : this.#command.words
    list.push(this.#word)
    this.#word = null
    this.#redirects = false
  }

  #endCommand(): void {
    this.#endWord()
    const { words, redirects } = this.#command
    if (words.length + redirects.length > 0) this.commands.push(this.#command)
    this.#command = { words: [], redirects: [] }
  }

  #operator(char: string): null {
    // `2>&1` and `&>file`: the ampersand belongs to the redirection.
    if (char === '&' && this.#redirects && this.#word === null) return this.#take(char)
    if (char === '&' && this.line.charAt(this.at + 1) === '>') return this.#skip(() => this.#endWord())
    return this.#skip(() => this.#endCommand())
  }

  #comment(): null {
    const end = this.line.indexOf('\n', this.at)
    this.at = end === -1 ? this.line.length : end
    return null
  }

  #redirect(): string | null {
    if (this.line.startsWith('<<', this.at)) return 'it holds a here-document: put that into a script'
    if (this.line.charAt(this.at + 1) === '(') return 'it holds <(…) or >(…): put that into a script'
    // A number before it says which descriptor is meant.
    if (this.#word !== null && /^\d+$/.test(this.#word.text)) this.#word = null
    this.#endWord()
    while (this.at < this.line.length && '<>|'.includes(this.line.charAt(this.at))) this.at++
    this.#redirects = true
    return null
  }

  #singleQuoted(): string | null {
    const end = this.line.indexOf("'", this.at + 1)
    if (end === -1) return "the quote ' has no closing quote"
    this.#add(this.line.slice(this.at + 1, end), true)
    this.at = end + 1
    return null
  }

  #doubleQuoted(): string | null {
    this.#add('', true)
    this.at++
    while (this.at < this.line.length) {
      const char = this.line.charAt(this.at)
      if (char === '"') return this.#skip(() => {})
      const escapes = char === '\\' && /["\\$`\n]/.test(this.line.charAt(this.at + 1))
      const fault = escapes ? this.#escape() : this.#takeExpanded(char)
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

  /** Keeps a variable as it stands, and reads the commands of `$(…)` and backquotes beside the others. */
  #expansion(char: string, depth: number): string | null {
    const opens = char === '`' ? '`' : this.line.charAt(this.at + 1)
    if (char === '$' && opens !== '(' && opens !== '{') return this.#take(char)
    const start = this.at + (char === '`' ? 1 : 2)
    const end = opens === '`' ? this.line.indexOf('`', start) : closing(this.line, start, opens)
    if (end === -1) return `what ${char === '`' ? 'a backquote' : `$${opens}`} opens is never closed`
    this.#add(char === '`' ? '$()' : this.line.slice(this.at, end + 1))
    this.at = end + 1
    const isArithmetic = opens === '(' && this.line.charAt(start) === '('
    if (opens === '{' || isArithmetic) return null
    const inner = readShellCommands(this.line.slice(start, end), depth + 1)
    if (!inner.ok) return inner.message
    this.commands.push(...inner.commands)
    return null
  }
}

/** Where the bracket that was opened before `from` is closed, quotes respected; -1 where it is not. */
function closing(line: string, from: number, opens: string): number {
  const closes = opens === '(' ? ')' : '}'
  let depth = 1
  for (let at = from; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === '\\') at++
    else if (char === "'" || char === '"') {
      at = line.indexOf(char, at + 1)
      if (at === -1) return -1
    } else if (char === opens) depth++
    else if (char === closes && --depth === 0) return at
  }
  return -1
}
