import { type ColumnType, hasType, toNumber, typeOf } from './column-type'

/** Rows of a block: a full block is never copied again. */
const blockRows = 1 << 16

interface Block {
  /** The UTF-8 of all cells, one after the other. */
  bytes: Uint8Array
  /** Where each cell ends. */
  ends: Uint32Array
  rows: number
  /** Only ASCII: a byte is a character. */
  ascii: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The cells of one column as bytes: a million strings would take several times as much memory. The text is kept exactly as it
 * is in the file; numbers are read from it on demand.
 */
export class TextColumn {
  readonly #blocks: Block[] = []
  #last: Block = emptyBlock()
  #type: ColumnType | null = null
  #count = 0

  constructor(
    readonly name: string,
    type: ColumnType | null = null,
  ) {
    this.#type = type
    this.#blocks.push(this.#last)
  }

  get count(): number {
    return this.#count
  }

  /** The type of all cells so far. */
  get type(): ColumnType {
    return this.#type ?? 'text'
  }

  /** Appends a cell. Returns its number of bytes. */
  push(text: string): number {
    if (text !== '') {
      if (this.#type === null) this.#type = typeOf(text)
      else if (!hasType(text, this.#type)) this.#type = 'text'
    }
    if (this.#last.rows === blockRows) {
      trim(this.#last)
      this.#last = emptyBlock()
      this.#blocks.push(this.#last)
    }
    const bytes = append(this.#last, text)
    this.#count++
    return bytes
  }

  at(row: number): string {
    const block = this.#blocks[Math.floor(row / blockRows)]
    const index = row % blockRows
    if (!block || index >= block.rows) return ''
    return decoder.decode(block.bytes.subarray(startOf(block, index), block.ends[index]))
  }

  /** Calls a function with each cell in order. */
  forEach(visit: (text: string, row: number) => void): void {
    for (const [index, block] of this.#blocks.entries()) {
      visitBlock(block, (text, row) => visit(text, index * blockRows + row))
    }
  }

  /** The numbers of the column; NaN where a cell has none. */
  numbers(): Float64Array {
    const values = new Float64Array(this.#count)
    this.forEach((text, row) => {
      values[row] = toNumber(text)
    })
    return values
  }

  /** Sets 1 for each row whose cell contains the text, which must be in lower case. */
  markContaining(lowerCase: string, marks: Uint8Array): void {
    for (const [index, block] of this.#blocks.entries()) {
      const mark = (row: number) => {
        marks[index * blockRows + row] = 1
      }
      if (block.ascii) searchAscii(block, lowerCase, mark)
      else {
        visitBlock(block, (text, row) => {
          if (text.toLowerCase().includes(lowerCase)) mark(row)
        })
      }
    }
  }
}

function emptyBlock(): Block {
  return { bytes: new Uint8Array(1024), ends: new Uint32Array(64), rows: 0, ascii: true }
}

/** Frees what the block did not need. */
function trim(block: Block): void {
  block.bytes = block.bytes.slice(0, block.ends[block.rows - 1])
}

function startOf(block: Block, row: number): number {
  return row === 0 ? 0 : (block.ends[row - 1] ?? 0)
}

function append(block: Block, text: string): number {
  const start = startOf(block, block.rows)
  // A UTF-16 unit takes at most three bytes.
  block.bytes = grown(block.bytes, start + text.length * 3, Uint8Array)
  block.ends = grown(block.ends, block.rows + 1, Uint32Array)
  let end = start
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127) {
      block.ascii = false
      end = start + encoder.encodeInto(text, block.bytes.subarray(start)).written
      break
    }
    block.bytes[end++] = code
  }
  block.ends[block.rows++] = end
  return end - start
}

function grown<Buffer extends Uint8Array | Uint32Array>(
  buffer: Buffer,
  needed: number,
  Type: new (length: number) => Buffer,
): Buffer {
  if (buffer.length >= needed) return buffer
  const larger = new Type(Math.max(needed, buffer.length * 2))
  larger.set(buffer)
  return larger
}

function visitBlock(block: Block, visit: (text: string, row: number) => void): void {
  // One text of which each cell is a part is much faster than a decoded text for each cell.
  const all = block.ascii ? decoder.decode(block.bytes.subarray(0, startOf(block, block.rows))) : null
  let start = 0
  for (let row = 0; row < block.rows; row++) {
    const end = block.ends[row] ?? start
    visit(all === null ? decoder.decode(block.bytes.subarray(start, end)) : all.slice(start, end), row)
    start = end
  }
}

function searchAscii(block: Block, lowerCase: string, mark: (row: number) => void): void {
  const all = decoder.decode(block.bytes.subarray(0, startOf(block, block.rows))).toLowerCase()
  let row = 0
  for (let at = all.indexOf(lowerCase); at !== -1; ) {
    row = rowAt(block, at, row)
    const end = block.ends[row] ?? 0
    const inOneCell = at + lowerCase.length <= end
    if (inOneCell) mark(row)
    at = all.indexOf(lowerCase, inOneCell ? end : at + 1)
  }
}

/** The row of a byte, from `first` on. */
function rowAt({ ends, rows }: Block, byte: number, first: number): number {
  let [low, high] = [first, rows - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] ?? 0) > byte) high = middle
    else low = middle + 1
  }
  return low
}
