interface Decoded {
  text: string
  /** What was assumed; null: the file says how it is written, or is UTF-8. */
  hint: string | null
}

/** How much of a file without a byte order mark shows whether it is UTF-16. */
const examinedBytes = 1_000

/** Reads the bytes of a text file in whatever encoding a spreadsheet has written it: UTF-8, UTF-16 or Latin-1. */
export function decodeText(bytes: Uint8Array): Decoded {
  const utf16 = findUtf16(bytes)
  if (utf16 !== null) return { text: new TextDecoder(utf16).decode(bytes), hint: null }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), hint: null }
  } catch {
    return {
      text: new TextDecoder('windows-1252').decode(bytes),
      hint: 'The file is not UTF-8, so it was read as Latin-1 (Windows-1252). Check letters with accents in the names.',
    }
  }
}

/** UTF-16 by its byte order mark, or by the zero byte of each Latin letter. */
function findUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  const examined = bytes.subarray(0, examinedBytes)
  for (const [index, byte] of examined.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (odd > examined.length / 4 && even === 0) return 'utf-16le'
  return even > examined.length / 4 && odd === 0 ? 'utf-16be' : null
}
