import { isUtf8 } from 'node:buffer'
import { parseJson } from '../contract/parse-json'
import { JsonValidator } from './json-validator'

/** Encodes text as the inside of a JSON string, and checks whether a line is JSON. */

/** Maximum length of a line that may be a result, and the maximum depth of its nesting. */
export const maxResultBytes = 64 << 20
export const maxResultDepth = 64
/** Longer lines are checked while they arrive, and without text of the same size. */
export const largeLineBytes = 1 << 20
/** Maximum length of a line whose record has both the line and its JSON. */
export const maxRewrittenBytes = 256 * 1024
/** Such a record is always read as a whole. */
const maxRewrittenRecordBytes = (1 << 20) - 1024

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
  return escapeSeparators(JSON.stringify(text).slice(1, -1))
}

/** Escapes the line separators in a JSON text, which are inside its strings. */
function escapeSeparators(json: string): string {
  if (!lineSeparators.test(json)) return json
  return json.replace(
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
const opening =
  /^[ \t]*(?:\{[ \t]*["}]|\[[ \t]*(?:[\]{["]|-?\d[\d.eE+-]*[ \t]*[,\]]|(?:true|false|null|NaN|-?Infinity)\b))/
const closing = /[\]}][ \t]*\r?$/

/** A line that is a JSON object or array within the limits of size and depth. */
interface ResultLine {
  /** A large line has none, because it is checked without parsing it. */
  value?: unknown
  /**
   * Its JSON, if the line cannot be stored verbatim in a record's `data`: it has NaN or Infinity, ends with a carriage return, or has a
   * character that some reader treats as the end of a line.
   */
  json?: string
  /** The line cannot be stored verbatim, and is too long to be stored beside its JSON. */
  tooLong?: true
}

/** Reads a line that may be a result. Null: it is none. */
export function readResultLine(line: string): ResultLine | null {
  if (!opening.test(line) || !closing.test(line)) return null
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  if (text.includes('\r')) return null
  if (line.length > largeLineBytes) return readLargeLine(Buffer.from(text), text !== line)
  if (depthOf(text) > maxResultDepth) return null
  const value = parseJson(text)
  if (value !== undefined && text === line && !lineSeparators.test(line)) return { value }
  return value === undefined ? rewritten(line, quoteNotFinite(text)) : rewritten(line, text)
}

function rewritten(line: string, text: string | null): ResultLine | null {
  const json = text === null ? '' : escapeSeparators(text)
  const value = parseJson(json)
  if (value === undefined) return null
  const fits = Buffer.byteLength(line) <= maxRewrittenBytes
  return fits && Buffer.byteLength(escapeJson(line) + json) <= maxRewrittenRecordBytes
    ? { value, json }
    : { value, tooLong: true }
}

/** @param ended whether it ended with a carriage return */
function readLargeLine(line: Buffer, ended: boolean): ResultLine | null {
  if (line.length > maxResultBytes) return null
  const validator = new JsonValidator(maxResultDepth)
  validator.push(line)
  if (!validator.isComplete) return null
  return ended || validator.hasNotFinite || !isStorable(line) ? { tooLong: true } : {}
}

/** A string, which stays as it is, or a number that JSON does not have. */
const stringOrNotFinite = /"(?:[^"\\]|\\.)*"|\bNaN\b|-?\bInfinity\b/g

/** The text with NaN and Infinity, which Python writes and JSON does not have, as texts. Null: it has none. */
export function quoteNotFinite(text: string): string | null {
  if (!text.includes('NaN') && !text.includes('Infinity')) return null
  return text.replace(stringOrNotFinite, (token) => (token.startsWith('"') ? token : `"${token}"`))
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
