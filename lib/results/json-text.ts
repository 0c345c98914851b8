/** Text as the inside of a JSON string, and the test for a line that is itself JSON. */

/** Longest line that is tried as a result, and the deepest nesting it may have. */
export const maxResultBytes = 1 << 20
const maxResultDepth = 64

/**
 * JSON allows these raw, but many readers split lines at them (Python's splitlines, JavaScript's parsers of
 * old): a job could then make one record look like two.
 */
const lineSeparators = /[\u0085\u2028\u2029]/
/** Anything but a line feed and what may stand in a JSON string as it is. */
const needsEscape = /[^\n !\x23-\x5b\x5d-\x84\x86-\u2027\u202a-\uffff]/

/** True when nothing in the text needs an escape, line feeds aside. One pass, 1 GB/s. */
export function isPlain(text: string): boolean {
  return !needsEscape.test(text)
}

/** The text as the inside of a JSON string, without the quotes around it. */
export function escapeJson(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1)
  if (!lineSeparators.test(escaped)) return escaped
  return escaped.replace(
    /[\u0085\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const space = 0x20
const tab = 0x09
const openBracket = 0x5b
const openBrace = 0x7b

/** True when the text from `start` begins as a JSON object or array does. */
export function startsLikeJson(text: string, start = 0): boolean {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === openBrace || code === openBracket) return true
    if (code !== space && code !== tab) return false
  }
  return false
}

/**
 * {@link startsLikeJson} for bytes that were not decoded yet. Looks at the first 256 only: it is asked again for
 * every write of a growing line.
 */
export function bytesStartLikeJson(bytes: Uint8Array): boolean {
  for (const byte of bytes.subarray(0, 256)) {
    if (byte === openBrace || byte === openBracket) return true
    if (byte !== space && byte !== tab) return false
  }
  return false
}

// Log lines and printed arrays (`[INFO] ready`, `[0.1 0.2]`) are common, and a JSON.parse that fails costs 5 µs:
// most of them are told apart by their first and last characters.
const opening = /^[ \t]*(?:\{[ \t]*["}]|\[[ \t]*(?:[\]{["]|-?\d[\d.eE+-]*[ \t]*[,\]]|true\b|false\b|null\b))/
const closing = /[\]}][ \t]*$/

/**
 * True for a line that can stand verbatim in a record's `data`: a JSON object or array, small and shallow
 * enough for every reader, and without a character that some reader takes for the end of a line.
 */
export function isResultLine(line: string): boolean {
  if (!opening.test(line) || !closing.test(line)) return false
  if (line.includes('\r') || lineSeparators.test(line)) return false
  if (line.length * 3 > maxResultBytes && Buffer.byteLength(line) > maxResultBytes) return false
  if (depthOf(line) > maxResultDepth) return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** How deep brackets nest outside strings. Right for valid JSON, which is all it is used for. */
function depthOf(json: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}
