import { ArchiveProblem } from './packed-entry'

export const tarBlockBytes = 512

/** The fields of a header block that gpuq reads. */
export interface TarHeader {
  name: string
  /** The letter that names the type; `0`: a file. */
  type: string
  executable: boolean
  /** The stored size. */
  bytes: number
  linkname: string
  block: Uint8Array
}

const magicAt = 257
const checksumAt = 148

/** Keeps the bytes of a name as they are: a byte order mark is part of it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function decodeName(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Whether a block is the header of an entry, by its checksum. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < tarBlockBytes || block.every((byte) => byte === 0)) return false
  const expected = readNumber(block, checksumAt, 8)
  let unsigned = 0
  let signed = 0
  for (let at = 0; at < tarBlockBytes; at++) {
    const isSum = at >= checksumAt && at < checksumAt + 8
    const byte = isSum ? 32 : (block[at] ?? 0)
    unsigned += byte
    // Some old programs add the bytes as signed numbers.
    signed += byte > 127 ? byte - 256 : byte
  }
  return expected === unsigned || expected === signed
}

/** @throws ArchiveProblem if the block is no header. */
export function parseTarHeader(block: Uint8Array): TarHeader {
  if (!isTarHeader(block)) throw new ArchiveProblem('is damaged: the header of an entry is wrong')
  const bytes = readNumber(block, 124, 12)
  if (bytes === null) throw new ArchiveProblem('is damaged: the size of an entry is wrong')
  const type = String.fromCharCode(block[156] || 48)
  const name = withPrefix(block, readText(block, 0, 100))
  const executable = ((readNumber(block, 100, 8) ?? 0) & 0o100) !== 0
  return { name, type, executable, bytes, linkname: readText(block, 157, 100), block }
}

/** Only POSIX headers have the first part of a long name; GNU headers have times there. */
function withPrefix(block: Uint8Array, name: string): string {
  const isPosix = readText(block, magicAt, 6) === 'ustar' && block[magicAt + 5] === 0
  const prefix = isPosix ? readText(block, 345, 155) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function readText(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return decodeName(end === -1 ? field : field.subarray(0, end))
}

/** An octal number, or a large one in base 256. Null if it is neither. */
export function readNumber(block: Uint8Array, at: number, length: number): number | null {
  const field = block.subarray(at, at + length)
  if (field[0] === 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
    return Number.isSafeInteger(value) ? value : null
  }
  const text = String.fromCharCode(...field)
    .replace(/\0.*$/s, '')
    .trim()
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : null
}

/** The records of an extended header, in their order: some keys come more than once. @throws ArchiveProblem */
export function parsePaxRecords(bytes: Uint8Array): [key: string, value: string][] {
  const records: [string, string][] = []
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const space = bytes.indexOf(32, at)
    const length = Number(decodeName(bytes.subarray(at, space)))
    const record = decodeName(bytes.subarray(space + 1, at + length - 1))
    const equals = record.indexOf('=')
    const isWhole = space > at && at + length <= bytes.length && bytes[at + length - 1] === 10
    if (!Number.isSafeInteger(length) || !isWhole || equals < 1)
      throw new ArchiveProblem('is damaged: an extended header is wrong')
    records.push([record.slice(0, equals), record.slice(equals + 1)])
    at += length
  }
  return records
}
