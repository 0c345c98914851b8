import { setTimeout as sleep } from 'node:timers/promises'
import type { OutputChunk } from '../runtime'
import type { OutputQueue } from './output-queue'
import { type LogPiece, TerminalLog } from './terminal-log'

const newline = 0x0a
/** Bytes at the end of the log that are compared with the live output. */
const memory = 256 * 1024
/** The live connection delivers output of the log within this time. */
const timeoutMs = 1_000

/** When listening to the program began: between these two times, in milliseconds. */
interface Attached {
  output: OutputQueue
  before: number
  after: number
}

/**
 * Reads the output of a terminal that another process read before: first the log, then live output. The log alone
 * lacks unfinished lines: prompts, echo, progress. Returns output that is in both only once. Output of an unfinished
 * line from before listening is in neither.
 */
export async function* replayTerminal(
  log: AsyncIterable<Buffer>,
  { output, before, after }: Attached,
): AsyncGenerator<OutputChunk> {
  const end = new LogEnd(before, after)
  const reader = new TerminalLog()
  try {
    for await (const bytes of log) yield* toChunks(end.add(reader.push(bytes)))
    yield* toChunks(end.add(reader.end()))
    const held = await heldAtLeast(output, end.certainLines)
    yield { stream: 'stdout', bytes: held.subarray(end.overlap(held)), live: true }
    for await (const bytes of output) yield { stream: 'stdout', bytes, live: true }
  } finally {
    output.close()
  }
}

/** Reads the output of a terminal whose program has ended. */
export async function* readTerminalLog(log: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk> {
  const reader = new TerminalLog()
  for await (const bytes of log) yield* toChunks(reader.push(bytes))
  yield* toChunks(reader.end())
}

function toChunks(pieces: LogPiece[]): OutputChunk[] {
  return pieces.length === 0
    ? []
    : [{ stream: 'stdout', bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)) }]
}

async function heldAtLeast(output: OutputQueue, lines: number): Promise<Buffer> {
  let held = output.takeBuffered()
  for (let waited = 0; waited < timeoutMs && !output.hasEnded; waited += 10) {
    if (afterLines(held, lines) !== null) break
    await sleep(10)
    held = Buffer.concat([held, output.takeBuffered()])
  }
  return held
}

/** The end of the log, and how many of its lines the live connection must or may contain. */
class LogEnd {
  /** Lines that ended after both connections were open. */
  certainLines = 0
  #possibleLines = 0
  #tail: Buffer = Buffer.alloc(0)

  constructor(
    readonly before: number,
    readonly after: number,
  ) {}

  add(pieces: LogPiece[]): LogPiece[] {
    for (const { bytes, at } of pieces) {
      if (bytes.at(-1) !== newline) continue
      if (at > this.after) this.certainLines += 1
      if (at >= this.before) this.#possibleLines += 1
    }
    const all = Buffer.concat([this.#tail, ...pieces.map(({ bytes }) => bytes)])
    this.#tail = all.subarray(Math.max(0, all.length - memory))
    return pieces
  }

  /** Returns how much of the live output is also in the log. */
  overlap(heard: Buffer): number {
    const lines = this.#overlappingLines(heard)
    const rest = heard.subarray(lines)
    // The log contains some pieces of a long line before its end.
    const open = this.#tail.subarray(this.#tail.lastIndexOf(newline) + 1)
    for (let length = Math.min(open.length, rest.length); length > 0; length--) {
      if (open.subarray(open.length - length).equals(rest.subarray(0, length))) return lines + length
    }
    return lines
  }

  #overlappingLines(heard: Buffer): number {
    const whole = this.#tail.subarray(0, this.#tail.lastIndexOf(newline) + 1)
    for (let count = this.#possibleLines; count > this.certainLines; count--) {
      const length = afterLines(heard, count)
      if (length === null) continue
      const end = whole.subarray(Math.max(0, whole.length - length))
      if (end.equals(heard.subarray(length - end.length, length))) return length
    }
    return afterLines(heard, this.certainLines) ?? heard.length
  }
}

/** Returns the end of the first `count` lines; null if there are fewer. */
function afterLines(bytes: Buffer, count: number): number | null {
  let end = 0
  for (let line = 0; line < count; line++) {
    const at = bytes.indexOf(newline, end)
    if (at === -1) return null
    end = at + 1
  }
  return end
}
