/** UTF-8 at the byte level: detects truncated and invalid sequences (Unicode, table 3-7). */

interface Continuation {
  /** Number of bytes after the first. */
  count: number
  /** Range of the second byte; the following ones are 0x80 to 0xBF. */
  low: number
  high: number
}

function continuationOf(lead: number): Continuation | null {
  if (lead >= 0xc2 && lead <= 0xdf) return { count: 1, low: 0x80, high: 0xbf }
  if (lead === 0xe0) return { count: 2, low: 0xa0, high: 0xbf }
  if (lead === 0xed) return { count: 2, low: 0x80, high: 0x9f }
  if (lead >= 0xe1 && lead <= 0xef) return { count: 2, low: 0x80, high: 0xbf }
  if (lead === 0xf0) return { count: 3, low: 0x90, high: 0xbf }
  if (lead >= 0xf1 && lead <= 0xf3) return { count: 3, low: 0x80, high: 0xbf }
  if (lead === 0xf4) return { count: 3, low: 0x80, high: 0x8f }
  return null
}

function continues(byte: number, position: number, { low, high }: Continuation): boolean {
  return position === 1 ? byte >= low && byte <= high : byte >= 0x80 && byte <= 0xbf
}

/**
 * Returns how many bytes at the end start a sequence that more bytes may complete: 0 to 3. Splitting before them
 * never changes the decoded text, because a decoder is between two characters there.
 */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0x80 && byte <= 0xbf) continue
    const expected = continuationOf(byte)
    if (expected === null || expected.count < back) return 0
    for (let position = 1; position < back; position++) {
      if (!continues(bytes[bytes.length - back + position] ?? 0, position, expected)) return 0
    }
    return back
  }
  return 0
}

/** Returns the offset of the first invalid byte, or null. A truncated sequence at the end is invalid. */
export function firstInvalidByte(bytes: Uint8Array): number | null {
  let offset = 0
  while (offset < bytes.length) {
    const lead = bytes[offset] ?? 0
    if (lead < 0x80) {
      offset++
      continue
    }
    const expected = continuationOf(lead)
    if (expected === null) return offset
    for (let position = 1; position <= expected.count; position++) {
      if (!continues(bytes[offset + position] ?? 0, position, expected)) return offset
    }
    offset += expected.count + 1
  }
  return null
}

function countOf(haystack: Buffer | string, needle: string): number {
  let count = 0
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + needle.length))
    count++
  return count
}

/** Decodes with U+FFFD for invalid sequences, and counts the replaced bytes. */
export function decodeReplacing(bytes: Buffer): { text: string; replaced: number } {
  const text = bytes.toString()
  // A U+FFFD printed by the job itself is three valid bytes and is not counted.
  const inserted = countOf(text, '\ufffd') - countOf(bytes, '\ufffd')
  return { text, replaced: bytes.length - (Buffer.byteLength(text) - 3 * inserted) }
}
