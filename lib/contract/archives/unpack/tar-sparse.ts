import { EntryProblem } from './packed-entry'
import { readNumber } from './tar-header'

/** A file of which only the parts with data are stored. What lies between them is zeros. */
export interface SparseMap {
  parts: { offset: number; bytes: number }[]
  /** The size of the whole file. */
  size: number
}

/** Each part takes at least these bytes of a header, so a header of the maximum size limits them as well. */
const maxParts = 1_000_000

/** Adds the parts that one block of GNU's format lists. Returns whether another block follows. */
export function readGnuParts(map: SparseMap, block: Uint8Array, isFirst: boolean): boolean {
  const [start, count, more] = isFirst ? [386, 4, 482] : [0, 21, 504]
  for (let index = 0; index < count; index++) {
    const at = start + 24 * index
    if (block[at] === 0 || block[at + 12] === 0) continue
    map.parts.push({ offset: readNumber(block, at, 12) ?? -1, bytes: readNumber(block, at + 12, 12) ?? -1 })
  }
  return block[more] !== 0 && map.parts.length <= maxParts
}

/** The size of the whole file in the first block of GNU's format. */
export function readGnuSize(block: Uint8Array): number {
  return readNumber(block, 483, 12) ?? -1
}

/** The map in the records of an extended header (versions 0.0 and 0.1 of the format). */
export function readPaxMap(records: readonly (readonly [string, string])[], size: number): SparseMap {
  const valuesOf = (key: string) => records.filter(([name]) => name === key).map(([, value]) => value)
  const [list] = valuesOf('GNU.sparse.map')
  if (list !== undefined) return toMap(list === '' ? [] : list.split(',').map(Number), size)
  const offsets = valuesOf('GNU.sparse.offset')
  const lengths = valuesOf('GNU.sparse.numbytes')
  return toMap(
    offsets.flatMap((offset, index) => [Number(offset), Number(lengths[index])]),
    size,
  )
}

/**
 * The map at the start of the content (version 1.0 of the format): numbers in lines, in whole blocks. `take` returns the next
 * block of the content.
 */
export async function readContentMap(take: () => Promise<Uint8Array>, size: number): Promise<SparseMap> {
  const numbers: number[] = []
  let line = ''
  let wanted = 1
  for (;;) {
    const block = await take()
    for (const byte of block) {
      if (byte !== 10) line += String.fromCharCode(byte)
      else {
        numbers.push(/^\d+$/.test(line) ? Number(line) : -1)
        line = ''
        const [count = 0] = numbers
        wanted = 1 + 2 * count
        if (count < 0 || count > maxParts) return toMap([-1, -1], size)
        if (numbers.length === wanted) return toMap(numbers.slice(1), size)
      }
      if (line.length > 20) return toMap([-1, -1], size)
    }
  }
}

function toMap(numbers: readonly number[], size: number): SparseMap {
  const parts = Array.from({ length: Math.ceil(numbers.length / 2) }, (_, index) => ({
    offset: numbers[2 * index] ?? -1,
    bytes: numbers[2 * index + 1] ?? -1,
  }))
  return { parts, size }
}

/** @throws EntryProblem unless the parts follow each other inside of the file, and have the stored size together. */
export function requirePossible(name: string, { parts, size }: SparseMap, storedBytes: number): void {
  let end = 0
  let stored = 0
  for (const { offset, bytes } of parts) {
    const isNumber = Number.isSafeInteger(offset) && Number.isSafeInteger(bytes)
    if (!isNumber || bytes < 0 || offset < end) throw damaged(name)
    end = offset + bytes
    stored += bytes
  }
  if (!Number.isSafeInteger(size) || end > size || stored !== storedBytes || parts.length > maxParts)
    throw damaged(name)
}

function damaged(name: string): EntryProblem {
  return new EntryProblem(name, 'is a sparse file whose list of parts is wrong: create the archive again')
}

const zeros = new Uint8Array(64 * 1024)

/** The content of the whole file. `read` returns the next stored bytes. */
export async function* fillHoles(
  { parts, size }: SparseMap,
  read: (bytes: number) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const { offset, bytes } of [...parts, { offset: size, bytes: 0 }]) {
    while (at < offset) {
      const hole = zeros.subarray(0, Math.min(zeros.length, offset - at))
      at += hole.length
      yield hole
    }
    yield* read(bytes)
    at += bytes
  }
}
