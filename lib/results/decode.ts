import {
  kindOf,
  type LineKind,
  type OutputStream,
  parseStored,
  ResultFormatFault,
  readPrinted,
  resultData,
} from '../contract/printed-output'
import { type ResultFileRecord, recordSchema } from '../contract/records'
import { type ByteSource, readLines } from './lines'

/** Output in API responses: text, truncated if it is too long. */
interface CollectedOutput {
  stdout: string
  stderr: string
  /** The stdout lines that are JSON objects or arrays, parsed. */
  results: unknown[]
  /** True if something is missing: truncated here at `maxBytes`, or by the output limit during the run. */
  truncated: boolean
}

/**
 * Reads and validates every record of a result file or of stored chunks.
 * @throws {ResultFormatFault} for an invalid record.
 */
export async function* readRecords(source: ByteSource): AsyncGenerator<ResultFileRecord> {
  for await (const lines of readLines(source)) {
    for (const line of lines) {
      const record = recordSchema.safeParse(parseStored(line.toString()))
      if (!record.success)
        throw new ResultFormatFault('A stored record has an invalid shape. The result file is damaged.')
      yield record.data
    }
  }
}

/**
 * Collects stdout, stderr and the results, each truncated after `maxBytes` of UTF-8. The text equals the job's
 * output, except for replaced invalid UTF-8.
 */
export async function collectOutput(
  source: ByteSource,
  { maxBytes }: { maxBytes: number },
): Promise<CollectedOutput> {
  const collector = new OutputCollector(maxBytes)
  for await (const lines of readLines(source)) {
    for (const line of lines) collector.add(line)
    if (collector.isFull) break
  }
  return collector.output
}

/** Converts a result file or stored chunks to the text that the job printed, with both streams in order. */
export async function* toPlainText(
  source: ByteSource,
  streams: readonly OutputStream[] = ['stdout', 'stderr'],
): AsyncGenerator<Buffer> {
  for await (const lines of readLines(source)) {
    const text = lines.map((line) => plainTextOf(line, streams)).join('')
    if (text !== '') yield Buffer.from(text)
  }
}

/** Returns the text of one stored line; empty if it is not output. */
export function plainTextOf(line: Buffer, streams: readonly OutputStream[] = ['stdout', 'stderr']): string {
  const kind = kindOf(line)
  return isOutput(kind) && streams.includes(streamOf(kind)) ? readPrinted(line, kind).text : ''
}

function isOutput(kind: LineKind): kind is OutputStream | 'result' {
  return kind === 'stdout' || kind === 'stderr' || kind === 'result'
}

function streamOf(kind: OutputStream | 'result'): OutputStream {
  return kind === 'stderr' ? 'stderr' : 'stdout'
}

class OutputCollector {
  readonly #texts: Record<OutputStream, BoundedText>
  readonly #results: unknown[] = []
  #resultBytesLeft: number
  #resultsCut = false
  #limitReached = false

  constructor(maxBytes: number) {
    this.#texts = { stdout: new BoundedText(maxBytes), stderr: new BoundedText(maxBytes) }
    this.#resultBytesLeft = maxBytes
  }

  add(line: Buffer): void {
    const kind = kindOf(line)
    if (kind === 'truncated') this.#limitReached = true
    if (!isOutput(kind)) return
    const text = this.#texts[streamOf(kind)]
    // Does not parse further once the text is full, so the rest of a large file costs only its reading.
    if (kind === 'result') this.#addResult(line, text)
    else if (!text.cut) text.append(readPrinted(line, kind).text)
  }

  /** Decodes no more of a large result than is kept. */
  #addResult(line: Buffer, text: BoundedText): void {
    const { data, ends } = resultData(line)
    if (!text.cut) {
      text.append(data.subarray(0, text.left + 1).toString())
      if (ends) text.append('\n')
    }
    if (this.#resultsCut) return
    this.#resultBytesLeft -= data.length
    if (this.#resultBytesLeft < 0) this.#resultsCut = true
    else this.#results.push(parseStored(data.toString()))
  }

  /** True if nothing that follows would be kept. */
  get isFull(): boolean {
    return this.#texts.stdout.cut && this.#texts.stderr.cut && this.#resultsCut
  }

  get output(): CollectedOutput {
    const { stdout, stderr } = this.#texts
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      results: this.#results,
      truncated: stdout.cut || stderr.cut || this.#resultsCut || this.#limitReached,
    }
  }
}

/** A text that is truncated at a number of bytes, at a character boundary. */
class BoundedText {
  text = ''
  cut = false
  #left: number

  constructor(maxBytes: number) {
    this.#left = maxBytes
  }

  /** Bytes that still fit. */
  get left(): number {
    return this.#left
  }

  append(text: string): void {
    if (this.cut) return
    const size = Buffer.byteLength(text)
    if (size <= this.#left) {
      this.text += text
      this.#left -= size
      return
    }
    this.text += text.slice(0, longestPrefix(text, this.#left))
    this.cut = true
  }
}

/** Returns how many UTF-16 units of the text fit into `maxBytes` of UTF-8 without splitting a character. */
function longestPrefix(text: string, maxBytes: number): number {
  return new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read
}
