/** A word of a command before any expansion. */
export interface ShellWord {
  text: string
  /** Whether a part of it was quoted. A quoted word may be a text with blanks. */
  quoted: boolean
}

/** One program with its arguments and the files of its redirections. */
export interface ShellCommand {
  words: ShellWord[]
  redirects: ShellWord[]
}

export type ShellCommands = { ok: true; commands: ShellCommand[] } | { ok: false; message: string }

/** Maximum nesting of `$(a $(b $(…)))`. */
const maxDepth = 8

/**
 * Splits a shell line into its simple commands, in order, including those in `$(…)` and backquotes. Does not run or
 * expand anything. Refuses here-documents, whose content is not a command.
 */
export function readShellCommands(line: string, depth = 0): ShellCommands {
  if (depth > maxDepth) return { ok: false, message: 'its $(…) are nested too deeply: put them in a script' }
  const reader = new Reader(line, depth)
  const message = reader.read()
  return message === null ? { ok: true, commands: reader.commands } : { ok: false, message }
}

class Reader {
  readonly commands: ShellCommand[] = []
  #command: ShellCommand = { words: [], redirects: [] }
  #word: ShellWord | null = null
  #redirects = false
  #at = 0

  constructor(
    readonly line: string,
    readonly depth: number,
  ) {}

  /** Parses the line; returns the problem, or null. */
  read(): string | null {
    while (this.#at < this.line.length) {
      const fault = this.#step(this.line.charAt(this.#at))
      if (fault !== null) return fault
    }
    this.#endCommand()
    return null
  }

  #step(char: string): string | null {
    if (char === '\n' || ';&|()'.includes(char)) return this.#operator(char)
    if (/\s/.test(char)) return this.#skip(() => this.#endWord())
    if (char === '#' && this.#word === null) return this.#comment()
    if (char === '<' || char === '>') return this.#redirect()
    if (char === "'") return this.#singleQuoted()
    if (char === '"') return this.#doubleQuoted()
    if (char === '\\') return this.#escape()
    if (char === '`' || char === '$') return this.#expansion()
    this.#add(char)
    return this.#skip()
  }

  #skip(first: () => void = () => {}): null {
    first()
    this.#at++
    return null
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
    // In `2>&1` and `&>file`, the ampersand belongs to the redirection.
    if (char === '&' && this.#redirects && this.#word === null) return this.#take(char)
    if (char === '&' && this.line.charAt(this.#at + 1) === '>') return this.#skip(() => this.#endWord())
    return this.#skip(() => this.#endCommand())
  }

  #comment(): null {
    const end = this.line.indexOf('\n', this.#at)
    this.#at = end === -1 ? this.line.length : end
    return null
  }

  #redirect(): string | null {
    if (this.line.startsWith('<<', this.#at)) return 'it contains a here-document: put it into a script'
    if (this.line.charAt(this.#at + 1) === '(') return 'it contains <(…) or >(…): put it into a script'
    // A number before a redirection is a file descriptor.
    if (this.#word !== null && /^\d+$/.test(this.#word.text)) this.#word = null
    this.#endWord()
    while (this.#at < this.line.length && '<>|'.includes(this.line.charAt(this.#at))) this.#at++
    this.#redirects = true
    return null
  }

  #singleQuoted(): string | null {
    const end = this.line.indexOf("'", this.#at + 1)
    if (end === -1) return "the quote ' is not closed"
    this.#add(this.line.slice(this.#at + 1, end), true)
    this.#at = end + 1
    return null
  }

  #doubleQuoted(): string | null {
    this.#add('', true)
    this.#at++
    while (this.#at < this.line.length) {
      const char = this.line.charAt(this.#at)
      if (char === '"') return this.#skip()
      const fault =
        char === '\\' ? this.#escape() : char === '`' || char === '$' ? this.#expansion() : this.#take(char)
      if (fault !== null) return fault
    }
    return 'the quote " is not closed'
  }

  #take(char: string): null {
    return this.#skip(() => this.#add(char))
  }

  #escape(): null {
    const next = this.line.charAt(this.#at + 1)
    // A backslash before a line feed continues the line.
    if (next !== '\n') this.#add(next)
    this.#at += 2
    return null
  }

  /** Keeps a variable unexpanded, and parses the commands in `$(…)` and backquotes. */
  #expansion(): string | null {
    const char = this.line.charAt(this.#at)
    const opens = char === '`' ? '`' : this.line.charAt(this.#at + 1)
    if (char === '$' && opens !== '(' && opens !== '{') return this.#take(char)
    const start = this.#at + (char === '`' ? 1 : 2)
    const end = opens === '`' ? this.line.indexOf('`', start) : closing(this.line, start, opens)
    if (end === -1) return `${char === '`' ? 'a backquote' : `$${opens}`} is not closed`
    this.#add(char === '`' ? '$()' : this.line.slice(this.#at, end + 1))
    this.#at = end + 1
    const arithmetic = opens === '(' && this.line.charAt(start) === '('
    if (opens === '{' || arithmetic) return null
    const inner = readShellCommands(this.line.slice(start, end), this.depth + 1)
    if (!inner.ok) return inner.message
    this.commands.push(...inner.commands)
    return null
  }
}

/**
 * Returns the position of the bracket that closes the one before `from`, ignoring quoted brackets; -1 if there is
 * none.
 */
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
