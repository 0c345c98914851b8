import type { OutputStream } from '../contract/output/printed-output'
import { BoundedText } from './decode'
import type { ByteSource } from './lines'
import { type PrintedVisitor, visitPrinted } from './printed-lines'

/** While `stdout` is sent, so much of each other field is kept. Longer ones need another reading of the output. */
const asideBytes = 1024 * 1024

/**
 * Writes output as the fields `stdout`, `stderr`, `results` and `truncated` of a JSON object, without its braces, in pieces. It is
 * sent while it is read, so that little of it is in memory. Results are written as they were printed: parsing them would change numbers.
 * @param open starts to read the output
 * @param maxBytes of each field
 */
export async function* outputJson(open: () => ByteSource, maxBytes: number): AsyncGenerator<string> {
  const stdout = new TextField('stdout', maxBytes)
  const stderr = new TextField('stderr', Math.min(maxBytes, asideBytes))
  const results = new ResultField(Math.min(maxBytes, asideBytes))
  const fields = [stdout, stderr, results]
  yield '"stdout":"'
  for await (const _ of visitFields(open(), fields)) yield stdout.take()
  yield '","stderr":"'
  const wholeStderr = yield* completed(open, stderr, new TextField('stderr', maxBytes))
  yield '","results":['
  const wholeResults = yield* completed(open, results, new ResultField(maxBytes))
  const truncated = stdout.isCut || wholeStderr.isCut || wholeResults.isCut || stdout.limitReached
  yield `],"truncated":${truncated}`
}

/** A field of the answer. */
interface Field {
  readonly maxBytes: number
  /** Output was left out, because the field would have more than `maxBytes`. */
  readonly isCut: boolean
  visitor: Partial<PrintedVisitor>
  /** Returns the JSON of what arrived since the last call. */
  take(): string
}

/** Writes what was kept of a field, or all of it by another reading. Returns the field that was written. */
async function* completed(open: () => ByteSource, kept: Field, whole: Field): AsyncGenerator<string, Field> {
  if (!kept.isCut || kept.maxBytes === whole.maxBytes) {
    yield kept.take()
    return kept
  }
  for await (const _ of visitFields(open(), [whole])) yield whole.take()
  return whole
}

/** Reads output until its end, or until all fields are cut. Yields after each block of records. */
async function* visitFields(source: ByteSource, fields: readonly Field[]): AsyncGenerator<void> {
  const visitors = fields.map(({ visitor }) => visitor)
  const all: PrintedVisitor = {
    wants: (stream) => visitors.some(({ wants }) => wants?.(stream)),
    text: (stream, text) => {
      for (const visitor of visitors) visitor.text?.(stream, text)
    },
    result: (data, ends) => {
      for (const visitor of visitors) visitor.result?.(data, ends)
    },
    limitReached: () => {
      for (const visitor of visitors) visitor.limitReached?.()
    },
  }
  for await (const _ of visitPrinted(source, all)) {
    yield
    if (fields.every(({ isCut }) => isCut)) return
  }
}

class TextField implements Field {
  readonly #text: BoundedText
  limitReached = false
  readonly visitor: Partial<PrintedVisitor>

  constructor(
    stream: OutputStream,
    readonly maxBytes: number,
  ) {
    this.#text = new BoundedText(maxBytes)
    this.visitor = {
      wants: (one) => one === stream && !this.isCut,
      text: (one, text) => {
        if (one === stream) this.#text.append(text)
      },
      limitReached: () => {
        this.limitReached = true
      },
    }
  }

  get isCut(): boolean {
    return this.#text.cut
  }

  take(): string {
    return JSON.stringify(this.#text.take()).slice(1, -1)
  }
}

/** As many complete results as fit. */
class ResultField implements Field {
  #left: number
  #isFirst = true
  #complete: string[] = []
  /** The pieces of the result that arrives. */
  #begun: string[] = []
  readonly visitor: Partial<PrintedVisitor> = {
    result: (data, ends) => this.#add(data, ends),
  }

  constructor(readonly maxBytes: number) {
    this.#left = maxBytes
  }

  get isCut(): boolean {
    return this.#left < 0
  }

  take(): string {
    const json = this.#complete.join(',')
    if (json === '') return ''
    const separator = this.#isFirst ? '' : ','
    this.#isFirst = false
    this.#complete = []
    return separator + json
  }

  #add(data: string, ends: boolean): void {
    if (this.isCut) return
    this.#left -= Buffer.byteLength(data)
    this.#begun = this.isCut ? [] : [...this.#begun, data]
    if (this.isCut || !ends) return
    this.#complete.push(this.#begun.join(''))
    this.#begun = []
  }
}
