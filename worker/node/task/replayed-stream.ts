/** Bytes of recent output that are kept. The engine's log may lack at most this much of what it already delivered. */
const defaultMemory = 256 * 1024
const lineFeed = 0x0a

/**
 * One output stream of a container that may have to be read again from its first byte after the engine was
 * unavailable. Returns new output exactly once: compares the replayed log with the remembered output.
 * An engine that exits loses the unfinished line, or more if it is killed: attached readers received that output,
 * but the log never does. (Observed with 20.10 and live-restore at every restart in the middle of a line.) The log
 * then continues with later output, so counting bytes alone would drop that much of it.
 */
export class ReplayedStream {
  #seen: Tail
  /** The output before the restart, until all of it was replayed. */
  #expected: Tail | null = null
  #held: Buffer[] = []

  constructor(readonly memory = defaultMemory) {
    this.#seen = new Tail(memory)
  }

  /** The next bytes start from the first one again. */
  restartReplay(): void {
    // An interrupted replay contains less than the output before it.
    this.#expected ??= this.#seen
    this.#seen = new Tail(this.memory)
    this.#held = []
  }

  /** The next bytes repeat nothing. */
  endReplay(): void {
    this.#expected = null
    this.#held = []
  }

  /** Accepts bytes and returns the new part. */
  push(bytes: Buffer): Buffer {
    const before = this.#seen.length
    this.#seen.add(bytes)
    if (this.#expected === null) return bytes
    this.#held.push(bytes.subarray(Math.max(0, this.#expected.start - before)))
    return this.#compare(this.#expected.bytes)
  }

  /** Waits until the replay covers everything remembered, or differs from it. */
  #compare(expected: Buffer): Buffer {
    const held = Buffer.concat(this.#held)
    this.#held = [held]
    const equal = equalLength(held, expected)
    if (equal === held.length && equal < expected.length) return Buffer.alloc(0)
    this.#expected = null
    this.#held = []
    // The log loses whole entries, so the gap starts at the beginning of the first line that differs.
    const hole = equal < expected.length ? expected.subarray(0, equal).lastIndexOf(lineFeed) + 1 : equal
    return held.subarray(hole)
  }
}

/** The number of bytes received, and the last of them. */
class Tail {
  length = 0
  #recent: Buffer[] = []
  #recentLength = 0

  constructor(readonly memory: number) {}

  /** The offset of the first remembered byte. */
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
