/** A word of a command as the shell would see it before it expands anything. */
export interface ShellWord {
  text: string
  /** Whether some of it was in quotes: then it may be a text, with blanks and all. */
  quoted: boolean
}

/** One program with its arguments, and the files that its input and output are redirected to. */
export interface ShellCommand {
  words: ShellWord[]
  redirects: ShellWord[]
}

type ShellCommands = { ok: true; commands: ShellCommand[] } | { ok: false; message: string }

/** Nested deeper than people write: `$(a $(b $(…)))`. */
const deepest = 8

/**
 * The simple commands of a shell's line, in order, those within `$(…)` and backquotes included. Nothing is run or
 * expanded. It reads what people write on a line; a here-document is refused, for what is in it is no command.
 */
export function readShellCommands(line: string, depth = 0): ShellCommands {
  if (depth > deepest) return { ok: false, message: 'its $(…) are nested too deeply: put them in a script' }
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

  /** Reads it all; returns what is wrong, or null. */
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
    // `2>&1` and `&>file`: the ampersand belongs to the redirection.
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
    if (this.line.startsWith('<<', this.#at)) return 'it holds a here-document: put that into a script'
    if (this.line.charAt(this.#at + 1) === '(') return 'it holds <(…) or >(…): put that into a script'
    // A number before it says which descriptor is meant.
    if (this.#word !== null && /^\d+$/.test(this.#word.text)) this.#word = null
    this.#endWord()
    while (this.#at < this.line.length && '<>|'.includes(this.line.charAt(this.#at))) this.#at++
    this.#redirects = true
    return null
  }

  #singleQuoted(): string | null {
    const end = this.line.indexOf("'", this.#at + 1)
    if (end === -1) return "the quote ' is opened and never closed"
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
    return 'the quote " is opened and never closed'
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

  /** Keeps a variable as it stands, and reads the commands of `$(…)` and backquotes beside the others. */
  #expansion(): string | null {
    const char = this.line.charAt(this.#at)
    const opens = char === '`' ? '`' : this.line.charAt(this.#at + 1)
    if (char === '$' && opens !== '(' && opens !== '{') return this.#take(char)
    const start = this.#at + (char === '`' ? 1 : 2)
    const end = opens === '`' ? this.line.indexOf('`', start) : closing(this.line, start, opens)
    if (end === -1) return `what ${char === '`' ? 'a backquote' : `$${opens}`} opens is never closed`
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
