import { setTimeout as sleep } from 'node:timers/promises'
import type { OutputChunk } from '../runtime'
import type { OutputQueue } from './output-queue'
import { type LogPiece, TerminalLog } from './terminal-log'

const newline = 0x0a
/** The end of the log that is compared with what came from the program itself. */
const memory = 256 * 1024
/** What the log has already, the other connection brings within this time. */
const patienceMs = 1_000

/** When those who listen to the program began to: somewhere between the two, in milliseconds. */
interface Attached {
  output: OutputQueue
  before: number
  after: number
}

/**
 * The output of a terminal that somebody else has read before: the log as far as it goes, then what comes from the
 * program itself. The log alone would show nothing of a line before its end: no prompt, no echo, no progress. What
 * both brought is given once. What the program wrote of an unfinished line while nobody listened is in neither.
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
    const held = await heldAtLeast(output, end.sureLines)
    yield { stream: 'stdout', bytes: held.subarray(end.overlap(held)), live: true }
    for await (const bytes of output) yield { stream: 'stdout', bytes, live: true }
  } finally {
    output.close()
  }
}

/** The output of a terminal whose program has ended. */
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
  let held = output.takeHeld()
  for (let waited = 0; waited < patienceMs && !output.hasEnded; waited += 10) {
    if (afterLines(held, lines) !== null) break
    await sleep(10)
    held = Buffer.concat([held, output.takeHeld()])
  }
  return held
}

/** What the log ends with, and how many of its lines the other connection must or may have brought as well. */
class LogEnd {
  /** Lines that ended after both connections were there. */
  sureLines = 0
  #possibleLines = 0
  #tail: Buffer = Buffer.alloc(0)

  constructor(
    readonly before: number,
    readonly after: number,
  ) {}

  add(pieces: LogPiece[]): LogPiece[] {
    for (const { bytes, at } of pieces) {
      if (bytes.at(-1) !== newline) continue
      if (at > this.after) this.sureLines += 1
      if (at >= this.before) this.#possibleLines += 1
    }
    const all = Buffer.concat([this.#tail, ...pieces.map(({ bytes }) => bytes)])
    this.#tail = all.subarray(Math.max(0, all.length - memory))
    return pieces
  }

  /** How much of what was heard the log has as well. */
  overlap(heard: Buffer): number {
    const lines = this.#overlappingLines(heard)
    const rest = heard.subarray(lines)
    // Of a line too long for one entry, the log has some pieces before its end.
    const open = this.#tail.subarray(this.#tail.lastIndexOf(newline) + 1)
    for (let length = Math.min(open.length, rest.length); length > 0; length--) {
      if (open.subarray(open.length - length).equals(rest.subarray(0, length))) return lines + length
    }
    return lines
  }

  #overlappingLines(heard: Buffer): number {
    const whole = this.#tail.subarray(0, this.#tail.lastIndexOf(newline) + 1)
    for (let count = this.#possibleLines; count > this.sureLines; count--) {
      const length = afterLines(heard, count)
      if (length === null) continue
      const end = whole.subarray(Math.max(0, whole.length - length))
      if (end.equals(heard.subarray(length - end.length, length))) return length
    }
    return afterLines(heard, this.sureLines) ?? heard.length
  }
}

/** Where the first `count` lines end; null if there are not so many. */
function afterLines(bytes: Buffer, count: number): number | null {
  let end = 0
  for (let line = 0; line < count; line++) {
    const at = bytes.indexOf(newline, end)
    if (at === -1) return null
    end = at + 1
  }
  return end
}
