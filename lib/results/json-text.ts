import { isUtf8 } from 'node:buffer'
import { parseJson } from '../contract/parse-json'
import { JsonValidator } from './json-validator'

/** Encodes text as the inside of a JSON string, and checks whether a line is JSON. */

/** Maximum length of a line that may be a result, and the maximum depth of its nesting. */
export const maxResultBytes = 64 << 20
export const maxResultDepth = 64
/** Longer lines are checked while they arrive, and without text of the same size. */
export const largeLineBytes = 1 << 20

/**
 * JSON allows these characters unescaped, but many readers split lines at them (Python's splitlines, old JavaScript
 * parsers), so a job could make one record look like two.
 */
const lineSeparators = /[\u0085\u2028\u2029]/
const lineSeparatorBytes = ['\u0085', '\u2028', '\u2029'].map((character) => Buffer.from(character))
/** Matches anything except a line feed and characters that need no escape in JSON strings. */
const needsEscape = /[^\n !\x23-\x5b\x5d-\x84\x86-\u2027\u202a-\uffff]/

/** Returns true if nothing in the text needs an escape, apart from line feeds. One pass, 1 GB/s. */
export function isPlain(text: string): boolean {
  return !needsEscape.test(text)
}

/** Escapes a text for a JSON string, without the quotes. */
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

/** Returns true if the text from `start` begins like a JSON object or array. */
export function startsLikeJson(text: string, start = 0): boolean {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === openBrace || code === openBracket) return true
    if (code !== space && code !== tab) return false
  }
  return false
}

/**
 * {@link startsLikeJson} for undecoded bytes. Checks only the first 256, because it is called for every write of a
 * growing line.
 */
export function bytesStartLikeJson(bytes: Uint8Array): boolean {
  for (const byte of bytes.subarray(0, 256)) {
    if (byte === openBrace || byte === openBracket) return true
    if (byte !== space && byte !== tab) return false
  }
  return false
}

// Log lines and printed arrays (`[INFO] ready`, `[0.1 0.2]`) are common, and a failing JSON.parse costs 5 µs. The
// first and last characters rule out most of them.
const opening = /^[ \t]*(?:\{[ \t]*["}]|\[[ \t]*(?:[\]{["]|-?\d[\d.eE+-]*[ \t]*[,\]]|true\b|false\b|null\b))/
const closing = /[\]}][ \t]*$/

/**
 * Reads a line that can be stored verbatim in a record's `data`: a JSON object or array within the size and depth
 * limits, without characters that some reader treats as the end of a line. Null: it is none. A large line has no
 * value, because it is checked without parsing it.
 */
export function readResultLine(line: string): { value?: unknown } | null {
  if (!opening.test(line) || !closing.test(line)) return null
  if (line.includes('\r') || lineSeparators.test(line)) return null
  if (line.length > largeLineBytes) return isLargeResult(Buffer.from(line)) ? {} : null
  if (depthOf(line) > maxResultDepth) return null
  const value = parseJson(line)
  return value === undefined ? null : { value }
}

/** Whether a large line is a result. */
function isLargeResult(line: Buffer): boolean {
  if (line.length > maxResultBytes) return false
  const validator = new JsonValidator(maxResultDepth)
  validator.push(line)
  return validator.isComplete && isStorable(line)
}

/** Returns true if a line of valid JSON is UTF-8 without characters that some reader treats as the end of a line. */
export function isStorable(line: Buffer): boolean {
  return isUtf8(line) && !lineSeparatorBytes.some((separator) => line.includes(separator))
}

/** Depth of the brackets outside strings. Correct for valid JSON only. */
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
