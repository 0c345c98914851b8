/** A line of a program. */
export interface CodeLocation {
  /** The path as Python names it. */
  file: string
  line: number
  /** The text of the line; null: Python did not print it. */
  code: string | null
}

/** Why a Python program ended. */
export interface Traceback {
  /** The index of its first line. */
  start: number
  /** The line of the exception: "ValueError: too large". */
  exception: string
  /** The exception group that contains the exception; null: none. */
  group: string | null
  /** The last line of the user's own code; null: the traceback has none. */
  location: CodeLocation | null
}

/** One list of frames with its exception. */
interface Block {
  /** The index of its first line. */
  start: number
  isGroup: boolean
  /** Counts the parts of an exception group, from 0: the group itself. */
  part: number
  frames: CodeLocation[]
  exception: string | null
}

/** Output may have millions of lines. A traceback stands at its end. */
export const searchedLines = 5_000
export const searchedCharacters = 2_000

const header = 'Traceback (most recent call last):'
const groupStart = '+ Exception Group Traceback (most recent call last):'
const frameLine = /^\s*File "([^"]+)", line (\d{1,9})(?:, in .*)?$/
const exceptionLine = /^[\p{L}_][\p{L}\p{N}_.<>]*(?::.*)?$/u
/** Python marks a part of the code above, or shortens a recursion. */
const noCode = /^(?:[~^\s]+|\[Previous line repeated .*)$/
const libraryFile = /^<|[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d/

/**
 * Finds the last exception in the output of a Python program, and the last line of the user's own code that led to it. In
 * an exception group, it is the first exception inside. Null: the output has no traceback.
 */
export function parseTraceback(lines: readonly string[]): Traceback | null {
  const reader = new TracebackReader()
  for (let at = Math.max(0, lines.length - searchedLines); at < lines.length; at++) {
    reader.read((lines[at] ?? '').slice(0, searchedCharacters).trimEnd(), at)
  }
  const found = reader.tracebacks.flatMap((blocks) => toTraceback(blocks) ?? [])
  return found.findLast(({ location }) => location !== null) ?? found.at(-1) ?? null
}

/** Splits lines into tracebacks. The blocks of an exception group belong to one traceback. */
class TracebackReader {
  readonly tracebacks: Block[][] = []
  private inGroup = false
  /** Text that a launcher such as torchrun puts before each line. */
  private prefix = ''
  /** The index of the line that is read. */
  private at = 0

  private get block(): Block | undefined {
    return this.tracebacks.at(-1)?.at(-1)
  }

  read(line: string, at: number): void {
    this.at = at
    if (line.trimStart() === groupStart) {
      this.inGroup = true
      this.prefix = ''
      this.open(true, false)
      return
    }
    if (this.inGroup && this.readInGroup(line)) return
    this.inGroup = false
    if (line.endsWith(header)) this.prefix = line.slice(0, -header.length)
    this.readText(this.prefix !== '' && line.startsWith(this.prefix) ? line.slice(this.prefix.length) : line)
  }

  /** Returns false for a line after the group. */
  private readInGroup(line: string): boolean {
    const inside = /^ *\|( .*)?$/.exec(line)
    if (inside) this.readText(inside[1]?.slice(1) ?? '')
    else if (/^ *\+-/.test(line)) this.openPart(/^ *\+-\+/.test(line))
    else return false
    return true
  }

  private readText(text: string): void {
    if (text.endsWith(header)) {
      this.open(text.startsWith('Exception Group '), this.inGroup)
      return
    }
    const [, file, number] = frameLine.exec(text) ?? []
    if (file !== undefined) {
      // The traceback of a syntax error has no header.
      if (!this.block || this.block.exception !== null) this.open(false, this.inGroup)
      this.block?.frames.push({ file, line: Number(number), code: null })
      return
    }
    const { block } = this
    if (!block || block.exception !== null || text === '') return
    if (/^\s/.test(text)) readCode(block, text.trim())
    else if (exceptionLine.test(text)) block.exception = text
  }

  private open(isGroup: boolean, nested: boolean): void {
    const blocks = this.tracebacks.at(-1)
    if (!nested || !blocks) {
      this.tracebacks.push([{ start: this.at, isGroup, part: 0, frames: [], exception: null }])
      return
    }
    const last = blocks.at(-1)
    if (last && last.frames.length === 0 && last.exception === null) last.isGroup = isGroup
    else blocks.push({ start: this.at, isGroup, part: last?.part ?? 0, frames: [], exception: null })
  }

  /** Begins the next exception of a group; as the first one, it makes the block before it a group. */
  private openPart(isFirst: boolean): void {
    const blocks = this.tracebacks.at(-1)
    const last = blocks?.at(-1)
    if (last && isFirst) last.isGroup = true
    blocks?.push({ start: this.at, isGroup: false, part: (last?.part ?? 0) + 1, frames: [], exception: null })
  }
}

function readCode({ frames }: Block, code: string): void {
  const frame = frames.at(-1)
  if (frame && frame.code === null && !noCode.test(code)) frame.code = code
}

function toTraceback(blocks: readonly Block[]): Traceback | null {
  const ended = blocks.filter(({ exception }) => exception !== null)
  const first = ended.find(({ isGroup }) => !isGroup)
  const block = first ? ended.findLast(({ isGroup, part }) => !isGroup && part === first.part) : ended[0]
  if (!block || block.exception === null) return null
  const group = ended.find(({ isGroup }) => isGroup)
  return {
    start: blocks[0]?.start ?? block.start,
    exception: block.exception,
    group: group && group !== block ? group.exception : null,
    location: lastOwn(block) ?? (group ? lastOwn(group) : null),
  }
}

function lastOwn({ frames }: Block): CodeLocation | null {
  return frames.findLast(({ file }) => !libraryFile.test(file)) ?? null
}
