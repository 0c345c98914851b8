import { kindAt, type OutputStream, openResult, parseText } from '../contract/output/printed-output'
import type { ByteSource } from './lines'
import { readBlocks } from './record-blocks'

/** Receives what a job printed, record after record. */
export interface PrintedVisitor {
  /** Whether the text of a stream is wanted. */
  wants: (stream: OutputStream) => boolean
  /** A piece of a stream as it was printed, with its line feed if it has one. Large results come in several pieces. */
  text: (stream: OutputStream, text: string) => void
  /** The JSON of a result: its line, if that is JSON. `ends`: this is the last piece of it. */
  result?: (data: string, ends: boolean) => void
  /** The output limit was reached during the run. */
  limitReached?: () => void
}

const textKey = '"text":"'

/**
 * Reads stored output, and calls the visitor for each record of what the job printed. Yields after each block of records, so
 * that its reader can send what it has or stop. Nothing is parsed that can be copied: most lines have no escapes.
 * @throws {ResultFormatFault} for a damaged record.
 */
export async function* visitPrinted(source: ByteSource, visitor: PrintedVisitor): AsyncGenerator<void> {
  const large = new LargeResult(visitor)
  for await (const block of readBlocks(source)) {
    if ('records' in block) visitRecords(block.records, visitor)
    else large.add(block)
    yield
  }
}

function visitRecords(records: string, visitor: PrintedVisitor): void {
  let start = 0
  for (let end = records.indexOf('\n'); end !== -1; end = records.indexOf('\n', start)) {
    if (end > start) visitRecord(records, start, end, visitor)
    start = end + 1
  }
}

function visitRecord(records: string, start: number, end: number, visitor: PrintedVisitor): void {
  const kind = kindAt(records, start)
  if (kind === 'truncated') visitor.limitReached?.()
  else if (kind === 'result') visitResult(records.slice(start, end), visitor)
  else if (kind !== 'other' && visitor.wants(kind)) visitor.text(kind, textOf(records, start, end))
}

function textOf(records: string, start: number, end: number): string {
  const at = records.indexOf(textKey, start) + textKey.length
  const record = records.slice(start, end)
  // What follows the text of other records is not text.
  if (at >= textKey.length && at < end && record.endsWith('"}') && !record.includes('\\'))
    return `${records.slice(at, end - 2)}\n`
  const { text, eol } = parseText(record)
  return eol ? `${text}\n` : text
}

function visitResult(record: string, visitor: PrintedVisitor): void {
  const { start, ends, line } = openResult(record)
  const data = record.slice(start, -1)
  const printed = line ?? data
  if (visitor.wants('stdout')) visitor.text('stdout', ends ? `${printed}\n` : printed)
  visitor.result?.(data, true)
}

/** A result that arrives in parts. */
class LargeResult {
  #isResult = false
  #eol = true

  constructor(private readonly visitor: PrintedVisitor) {}

  add({ part, starts, ends }: { part: string; starts: boolean; ends: boolean }): void {
    let data = part
    if (starts) {
      this.#isResult = kindAt(part, 0) === 'result'
      if (!this.#isResult) return
      const opened = openResult(part)
      this.#eol = opened.ends
      data = part.slice(opened.start)
    }
    if (!this.#isResult) return
    if (ends) data = data.slice(0, -1)
    if (this.visitor.wants('stdout')) this.visitor.text('stdout', ends && this.#eol ? `${data}\n` : data)
    this.visitor.result?.(data, ends)
  }
}
