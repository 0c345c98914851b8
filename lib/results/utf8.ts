import { isUtf8 } from 'node:buffer'

/** UTF-8 at the byte level: detects truncated and invalid sequences. */

/**
 * Returns how many bytes at the end start a sequence that more bytes may complete: 0 to 3. Splitting before them
 * never changes the decoded text, because a decoder is between two characters there.
 */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const tail = bytes.subarray(bytes.length - back)
    const lead = tail[0] ?? 0
    const isContinuation = lead >= 0x80 && lead <= 0xbf
    if (!isContinuation) return lead >= 0xc0 && canBeCompleted(tail) ? back : 0
  }
  return 0
}

/**
 * Tries the lowest and the highest continuation byte: every lead byte that restricts the second byte accepts one of
 * them (Unicode, table 3-7).
 */
function canBeCompleted(start: Uint8Array): boolean {
  const completions = [1, 2, 3].flatMap((count) => [Buffer.alloc(count, 0x80), Buffer.alloc(count, 0xbf)])
  return completions.some((rest) => isUtf8(Buffer.concat([start, rest])))
}

const replacement = '\ufffd'
const replacementBytes = Buffer.from(replacement)

/** Returns the offset of the first invalid byte, or null. A truncated sequence at the end is invalid. */
export function firstInvalidByte(bytes: Buffer): number | null {
  let offset = 0
  for (const character of bytes.toString()) {
    // The text may also contain U+FFFD itself.
    if (character === replacement && !bytes.subarray(offset, offset + 3).equals(replacementBytes))
      return offset
    offset += Buffer.byteLength(character)
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
  const inserted = countOf(text, replacement) - countOf(bytes, replacement)
  return { text, replaced: bytes.length - (Buffer.byteLength(text) - 3 * inserted) }
}
