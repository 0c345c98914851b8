import { createHash } from 'node:crypto'
import { endOfShellWords } from '@/lib/contract/config/program/shell-words'

/**
 * Parses the lines of a jobs.txt: `priority,script_path,conda_env,arguments,allowed_gpus`. This module reads
 * no files.
 */

/** The job of one line. */
export interface JobLine {
  /** Lower numbers start first, unlike in a config. */
  priority: number
  script: string
  /** Empty: the default environment. */
  condaEnv: string
  /** One string. It is split later by shell rules. */
  args: string
  /** Numbers and ranges without spaces, such as `0-3,5`. Empty: any GPU. */
  allowedGpus: string
}

type LineReading = { ok: true; line: JobLine } | { ok: false; message: string }

/** A line of a file, unparsed. */
export interface FileLine {
  /** 1-based. */
  number: number
  /** Null if the bytes are not UTF-8. */
  text: string | null
}

interface FileLines {
  lines: FileLine[]
  /** The text after the last line break. A program may still be writing it. */
  tail: FileLine | null
}

export const maxPriority = 100
const maxGpu = 1023
const lineFeed = 0x0a

/**
 * Splits a file into lines. Each line is decoded separately, so that a damaged one does not affect the
 * others.
 */
export function splitLines(bytes: Uint8Array): FileLines {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const lines: FileLine[] = []
  let start = hasMark ? 3 : 0
  for (let end = bytes.indexOf(lineFeed, start); end !== -1; end = bytes.indexOf(lineFeed, start)) {
    lines.push({ number: lines.length + 1, text: decode(decoder, bytes.subarray(start, end)) })
    start = end + 1
  }
  const rest = bytes.subarray(start)
  const tail = rest.length === 0 ? null : { number: lines.length + 1, text: decode(decoder, rest) }
  return { lines, tail }
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes).replace(/\r$/, '')
  } catch {
    return null
  }
}

/** Whether a line is empty or a comment. */
export function isBlankOrComment(text: string): boolean {
  return /^\s*(#|$)/.test(text)
}

/** Parses one line. The message of a failure tells the user what to change. */
export function readJobLine(text: string): LineReading {
  // Only tabs count as spaces. Other control characters are not allowed.
  if (/[^\P{Cc}\t]/u.test(text)) return refuse('the line contains control characters')
  const fields = readFields(text)
  if (!fields.ok) return fields
  const [priorityText = '', script = '', condaEnv = '', args = '', ...gpuTexts] = fields.texts
  const priority = Number(priorityText || '0')
  if (!/^([+-]?\d+)?$/.test(priorityText) || Math.abs(priority) > maxPriority) {
    return refuse(`the priority must be a whole number from -${maxPriority} to ${maxPriority}`)
  }
  if (script === '') return refuse('no script: the second field must be its path')
  const allowedGpus = readGpus(gpuTexts)
  if (allowedGpus === null) {
    return refuse(
      'after the arguments, only GPU numbers and ranges are allowed, such as 0-3 or 4,5; put arguments with a comma in quotes',
    )
  }
  return { ok: true, line: { priority: priority + 0, script, condaEnv, args, allowedGpus } }
}

/** Identifies a line by its values, independent of its formatting. */
function toLineKey({ priority, script, condaEnv, args, allowedGpus }: JobLine): string {
  const text = JSON.stringify([priority, script, condaEnv, args, allowedGpus])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** A valid line with its job. */
export interface ReadLine {
  number: number
  name: string
  line: JobLine
}

/** An invalid line and the reason. */
export interface Bad {
  number: number
  text: string
  message: string
}

/** Parses the lines of a file. */
export function readLines(lines: readonly FileLine[]): { good: ReadLine[]; bad: Bad[] } {
  const good: ReadLine[] = []
  const bad: Bad[] = []
  for (const { number, text } of lines) {
    if (text === null) bad.push({ number, text: '', message: 'the line is not valid UTF-8' })
    else if (!isBlankOrComment(text)) {
      const read = readJobLine(text)
      if (read.ok) good.push({ number, name: toLineKey(read.line), line: read.line })
      else bad.push({ number, text, message: read.message })
    }
  }
  return { good, bad }
}

/** How often each line appears. */
export function countNames(lines: readonly ReadLine[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { name } of lines) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Formats a job as a line for {@link readJobLine}. The values must not contain line breaks. */
export function formatJobLine({ priority, script, condaEnv, args, allowedGpus }: JobLine): string {
  return [String(priority), ...[script, condaEnv, args].map(quoteField), allowedGpus].join(',')
}

function quoteField(text: string): string {
  return text === text.trim() && !/[,"'\\]/.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}

/** The index of the arguments. They use shell quoting, so their own quotes also protect commas. */
const argsAt = 3

type Fields = { ok: true; texts: string[] } | { ok: false; message: string }
type Field = { ok: true; text: string; end: number } | { ok: false; message: string }

function readFields(line: string): Fields {
  const texts: string[] = []
  for (let at = 0; ; ) {
    const field =
      readQuoted(line, at) ?? (texts.length === argsAt ? readShellText(line, at) : readPlain(line, at))
    if (!field.ok) return refuse(`field ${texts.length + 1}: ${field.message}`)
    texts.push(field.text)
    if (field.end >= line.length) return { ok: true, texts }
    at = field.end + 1
  }
}

/** Reads a field in CSV quotes, up to the comma or the end of the line. Null if the field is not quoted. */
function readQuoted(line: string, start: number): Field | null {
  const match = /\s*"((?:[^"]|"")*)"\s*(?=,|$)/y
  match.lastIndex = start
  const found = match.exec(line)
  if (!found) return null
  return { ok: true, text: (found[1] ?? '').replaceAll('""', '"'), end: match.lastIndex }
}

function readPlain(line: string, start: number): Field {
  const comma = line.indexOf(',', start)
  const end = comma === -1 ? line.length : comma
  const text = line.slice(start, end).trim()
  if (text.startsWith('"')) return refuse('a quoted field has no closing quote, or text follows the quote')
  return { ok: true, text, end }
}

/** Reads up to the first comma outside shell quotes. */
function readShellText(line: string, start: number): Field {
  const words = endOfShellWords(line, start, ',')
  return words.ok ? { ok: true, text: line.slice(start, words.end).trim(), end: words.end } : words
}

/** Joins the last fields to one list. Null if they are not a valid list. */
function readGpus(fields: readonly string[]): string | null {
  const text = fields.join(',').replace(/\s+/g, '')
  return text === '' || isGpuList(text) ? text : null
}

/** Whether a text is a list of GPU numbers and ranges without spaces. */
export function isGpuList(text: string): boolean {
  return text.split(',').every((part) => {
    const [, first, last] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? []
    return first !== undefined && Number(first) <= Number(last ?? first) && Number(last ?? first) <= maxGpu
  })
}

function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message }
}
