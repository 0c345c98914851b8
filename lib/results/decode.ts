import {
  kindOf,
  type LineKind,
  type OutputStream,
  parseStored,
  ResultFormatFault,
  readPrinted,
} from '../contract/output/printed-output'
import { type ResultFileRecord, recordSchema } from '../contract/output/records'
import { type ByteSource, readLines } from './lines'
import { type PrintedVisitor, visitPrinted } from './printed-lines'

/** Collected output: text, truncated if it is too long. */
interface CollectedOutput {
  stdout: string
  stderr: string
  /** The JSON of the stdout lines that are objects or arrays, as it was printed: parsing it would change numbers. */
  results: string[]
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
  for await (const _ of visitPrinted(source, collector)) if (collector.isFull) break
  return collector.output
}

/** Converts a result file or stored chunks to the text that the job printed, with both streams in order. */
export async function* toPlainText(
  source: ByteSource,
  streams?: readonly OutputStream[],
): AsyncGenerator<Buffer> {
  for await (const text of printedText(source, streams)) yield Buffer.from(text)
}

/** {@link toPlainText} as text. Each piece ends with a complete character. */
export async function* printedText(
  source: ByteSource,
  streams: readonly OutputStream[] = ['stdout', 'stderr'],
): AsyncGenerator<string> {
  let printed = ''
  const visitor: PrintedVisitor = {
    wants: (stream) => streams.includes(stream),
    text: (_, text) => {
      printed += text
    },
  }
  for await (const _ of visitPrinted(source, visitor)) {
    if (printed !== '') yield printed
    printed = ''
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

class OutputCollector implements PrintedVisitor {
  readonly #texts: Record<OutputStream, BoundedText>
  readonly #results: string[] = []
  /** The pieces of the result that arrives. */
  #begun: string[] = []
  #resultBytesLeft: number
  #resultsCut = false
  #limitReached = false

  constructor(maxBytes: number) {
    this.#texts = { stdout: new BoundedText(maxBytes), stderr: new BoundedText(maxBytes) }
    this.#resultBytesLeft = maxBytes
  }

  wants(stream: OutputStream): boolean {
    return !this.#texts[stream].cut
  }

  text(stream: OutputStream, text: string): void {
    this.#texts[stream].append(text)
  }

  /** Keeps complete results, as many as fit. */
  result(data: string, ends: boolean): void {
    if (this.#resultsCut) return
    this.#resultBytesLeft -= Buffer.byteLength(data)
    if (this.#resultBytesLeft < 0) {
      this.#resultsCut = true
      this.#begun = []
      return
    }
    this.#begun.push(data)
    if (!ends) return
    this.#results.push(this.#begun.join(''))
    this.#begun = []
  }

  limitReached(): void {
    this.#limitReached = true
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
export class BoundedText {
  text = ''
  cut = false
  #left: number

  constructor(maxBytes: number) {
    this.#left = maxBytes
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

  /** Returns what was appended since the last call. */
  take(): string {
    const { text } = this
    this.text = ''
    return text
  }
}

/** Returns how many UTF-16 units of the text fit into `maxBytes` of UTF-8 without splitting a character. */
function longestPrefix(text: string, maxBytes: number): number {
  return new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read
}
