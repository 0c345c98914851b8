/** A line of a program. */
export interface CodeLocation {
  /** The path as Python names it. */
  file: string
  line: number
  function: string | null
  /** The text of the line; null: Python did not print it. */
  code: string | null
}

/** One list of frames with its exception. */
interface Block {
  /** The index of its first line. */
  start: number
  /** The index of the line of its exception. */
  end: number
  isGroup: boolean
  /** Counts the parts of an exception group, from 0: the group itself. */
  part: number
  frames: CodeLocation[]
  exception: string | null
}

/** A traceback. The blocks of an exception group belong to one. */
export interface TracebackChain {
  blocks: Block[]
  /** Python goes on after it: `thread` ends a thread, process or task other than the main one; `ignored` ends none. */
  ends: 'main' | 'thread' | 'ignored'
  /** The exceptions from which it was raised, the nearest first. */
  origins: { exception: string; frames: readonly CodeLocation[] }[]
}

const header = 'Traceback (most recent call last):'
const groupStart = '+ Exception Group Traceback (most recent call last):'
const joints = [
  'The above exception was the direct cause of the following exception:',
  'During handling of the above exception, another exception occurred:',
]
/** The library Rich draws a traceback as a box. */
const boxStart = /^╭─+ Traceback \(most recent call last\) ─+╮$/
const boxFrame = /^(\S.*):(\d{1,9}) in (\S+)$/
const boxCode = /^❱ {1,9}\d{1,9} (.*)$/
const frameLine = /^\s*File "([^"]+)", line (\d{1,9})(?:, in (.*))?$/
/** pytest prints the frame and the message in lines of its own. */
const testFrame = /^([\w./-]{1,200}\.py):(\d{1,9}): (?:in (\S{1,100})|([A-Z]\w{1,100}))$/
const testMessage = /^E {3,}(\S.*)$/
const exceptionLine = /^[\p{L}_][\p{L}\p{N}_.<>]*(?::.*)?$/u
/** Python marks a part of the code above, or shortens a recursion. */
const noCode = /^(?:[~^\s]+|\[Previous line repeated .*)$/

const ignoredStart = /^Exception ignored in\b/
const threadStart =
  /^(?:Exception in (?:thread |initializer:)|Process \S{1,60}:$|(?:Task|Future) exception was never retrieved)/

/** Splits the lines of one process into tracebacks. */
export class TracebackReader {
  readonly chains: TracebackChain[] = []
  private inGroup = false
  private inBox = false
  /** Text that a launcher puts before each line. */
  private prefix = ''
  /** The index of the line that is read. */
  private at = 0
  /** Python has said that the next traceback follows from the last one. */
  private isJoined = false
  /** The first line of the message of a test. */
  private said: string | null = null
  /** What the next traceback ends. */
  private ends: TracebackChain['ends'] = 'main'

  private get block(): Block | undefined {
    return this.chains.at(-1)?.blocks.at(-1)
  }

  read(line: string, at: number): void {
    this.at = at
    if (ignoredStart.test(line)) this.ends = 'ignored'
    else if (threadStart.test(line)) this.ends = 'thread'
    if (line.trimStart() === groupStart) {
      this.inGroup = true
      this.prefix = ''
      this.open(true, false)
      return
    }
    if (boxStart.test(line)) {
      this.inBox = true
      this.open(false, false)
      return
    }
    if (this.inBox && this.readInBox(line)) return
    this.inBox = false
    if (this.inGroup && this.readInGroup(line)) return
    this.inGroup = false
    if (this.readTest(line)) return
    if (line.endsWith(header)) this.prefix = line.slice(0, -header.length)
    this.readText(this.prefix !== '' && line.startsWith(this.prefix) ? line.slice(this.prefix.length) : line)
  }

  /** Returns false for a line after the box. */
  private readInBox(line: string): boolean {
    if (!line.startsWith('│')) return line.startsWith('╰')
    const text = line.slice(1, line.endsWith('│') ? -1 : undefined).trim()
    const [, file, number, name] = boxFrame.exec(text) ?? []
    if (file !== undefined)
      this.block?.frames.push({ file, line: Number(number), function: name ?? null, code: null })
    const code = boxCode.exec(text)?.[1]
    if (code !== undefined && this.block) readCode(this.block, code.replace(/^[│\s]{0,200}/, ''))
    return true
  }

  /** Returns false for a line after the group. */
  private readInGroup(line: string): boolean {
    const inside = /^ *\|( .*)?$/.exec(line)
    if (inside) this.readText(inside[1]?.slice(1) ?? '')
    else if (/^ *\+-/.test(line)) this.openPart(/^ *\+-\+/.test(line))
    else return false
    return true
  }

  /** Returns false for a line that pytest does not print of a failure. */
  private readTest(line: string): boolean {
    const said = testMessage.exec(line)?.[1]
    if (said !== undefined) {
      this.said ??= said
      if (this.block?.exception === null && exceptionLine.test(said)) this.endTest(said)
      return true
    }
    const [, file, number, name, error] = testFrame.exec(line) ?? []
    if (file === undefined || (error !== undefined && this.said === null)) return false
    if (this.block?.exception !== null || error !== undefined) this.open(false, false)
    this.block?.frames.push({ file, line: Number(number), function: name ?? null, code: null })
    if (error !== undefined) this.endTest(this.said?.startsWith(error) ? this.said : `${error}: ${this.said}`)
    return true
  }

  private endTest(exception: string): void {
    if (this.block) {
      this.block.exception = exception
      this.block.end = this.at
    }
    this.said = null
  }

  private readText(text: string): void {
    if (text.endsWith(header)) {
      this.open(text.startsWith('Exception Group '), this.inGroup)
      return
    }
    const [, file, number, name] = frameLine.exec(text) ?? []
    if (file !== undefined) {
      // The traceback of a syntax error has no header.
      if (!this.block || this.block.exception !== null) this.open(false, this.inGroup)
      this.block?.frames.push({ file, line: Number(number), function: name ?? null, code: null })
      return
    }
    if (joints.includes(text)) this.isJoined = true
    const { block } = this
    if (!block || block.exception !== null || text === '') return
    if (/^\s/.test(text)) readCode(block, text.trim())
    else if (exceptionLine.test(text)) {
      block.exception = text
      block.end = this.at
    }
  }

  private open(isGroup: boolean, nested: boolean): void {
    const chain = this.chains.at(-1)
    const isJoined = this.isJoined
    this.isJoined = false
    if (!nested || !chain) {
      const { exception = null, frames = [] } = this.block ?? {}
      const origins =
        isJoined && chain && exception ? [{ exception, frames }, ...chain.origins].slice(0, 8) : []
      const ends = isJoined && chain ? chain.ends : this.ends
      this.chains.push({ blocks: [this.newBlock(isGroup, 0)], origins, ends })
      this.ends = 'main'
      return
    }
    const last = chain.blocks.at(-1)
    if (last && last.frames.length === 0 && last.exception === null) last.isGroup = isGroup
    else chain.blocks.push(this.newBlock(isGroup, last?.part ?? 0))
  }

  /** Begins the next exception of a group; as the first one, it makes the block before it a group. */
  private openPart(isFirst: boolean): void {
    const blocks = this.chains.at(-1)?.blocks
    const last = blocks?.at(-1)
    if (last && isFirst) last.isGroup = true
    blocks?.push(this.newBlock(false, (last?.part ?? 0) + 1))
  }

  private newBlock(isGroup: boolean, part: number): Block {
    return { start: this.at, end: this.at, isGroup, part, frames: [], exception: null }
  }
}

function readCode({ frames }: Block, code: string): void {
  const frame = frames.at(-1)
  if (frame && frame.code === null && !noCode.test(code)) frame.code = code
}
