/** How much of what came is remembered: the engine's log may be behind what it had already handed on by so much. */
const defaultMemory = 256 * 1024
const lineFeed = 0x0a

/**
 * One stream of a container's output, which may have to be read from its first byte again after the engine went away.
 * Gives out what is new, once: the log's copy of what came before is compared with what is remembered of it.
 *
 * An engine that ends loses what it has read of a line that is not finished, or more when it is killed: those who are
 * attached have seen it, its log never gets it. (Seen with 20.10 and live-restore: at every restart in the middle of a
 * line.) After such a hole the log goes on with what came later, so counting bytes alone would cut that much off.
 */
export class ReplayedStream {
  #seen: Tail
  /** What came before the new beginning, until all of it was repeated. */
  #expected: Tail | null = null
  #held: Buffer[] = []

  constructor(readonly memory = defaultMemory) {
    this.#seen = new Tail(memory)
  }

  /** The next bytes come from the first one on again. */
  startOver(): void {
    // A repetition that broke off itself has shown less than what came before it.
    this.#expected ??= this.#seen
    this.#seen = new Tail(this.memory)
    this.#held = []
  }

  /** What comes next does not repeat anything. */
  expectNoMore(): void {
    this.#expected = null
    this.#held = []
  }

  /** Takes what comes, and gives what of it is new. */
  push(bytes: Buffer): Buffer {
    const before = this.#seen.length
    this.#seen.add(bytes)
    if (this.#expected === null) return bytes
    this.#held.push(bytes.subarray(Math.max(0, this.#expected.start - before)))
    return this.#compare(this.#expected.bytes)
  }

  /** Waits until as much was repeated as is remembered, or differs from it. */
  #compare(expected: Buffer): Buffer {
    const held = Buffer.concat(this.#held)
    this.#held = [held]
    const equal = equalLength(held, expected)
    if (equal === held.length && equal < expected.length) return Buffer.alloc(0)
    this.#expected = null
    this.#held = []
    // The log loses whole entries: where it differs for the first time, the hole began at the line's start.
    const hole = equal < expected.length ? expected.subarray(0, equal).lastIndexOf(lineFeed) + 1 : equal
    return held.subarray(hole)
  }
}

/** How much came, and the last of it. */
class Tail {
  length = 0
  #recent: Buffer[] = []
  #recentLength = 0

  constructor(readonly memory: number) {}

  /** Where what is remembered begins. */
  get start(): number {
    return this.length - this.#recentLength
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#recent)
  }

  add(bytes: Buffer): void {
    this.length += bytes.length
    this.#recentLength += bytes.length
    this.#recent.push(bytes)
    while (this.#recentLength > this.memory) {
      const [oldest = Buffer.alloc(0)] = this.#recent
      const excess = Math.min(this.#recentLength - this.memory, oldest.length)
      if (excess === oldest.length) this.#recent.shift()
      else this.#recent[0] = oldest.subarray(excess)
      this.#recentLength -= excess
    }
  }
}

function equalLength(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  if (a.subarray(0, length).equals(b.subarray(0, length))) return length
  let equal = 0
  while (a[equal] === b[equal]) equal += 1
  return equal
}
