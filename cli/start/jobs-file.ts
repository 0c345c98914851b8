import { endOfShellWords } from '@/lib/contract/config/shell-words'

/** The lines of a jobs.txt: `priority,script_path,conda_env,arguments,allowed_gpus`. Nothing here reads a file. */

/** A job as one line says it. */
export interface JobLine {
  /** A lower number goes first: the opposite of a config's. */
  priority: number
  script: string
  /** Empty: the default environment. */
  condaEnv: string
  /** As one text, which is split later as a shell does. */
  args: string
  /** Numbers and ranges without blanks, such as `0-3,5`; empty: any. */
  allowedGpus: string
}

type LineReading = { ok: true; line: JobLine } | { ok: false; message: string }

/** A line of a file as it stands there. */
export interface FileLine {
  /** 1-based. */
  number: number
  /** Null: its bytes are not UTF-8. */
  text: string | null
}

interface FileLines {
  lines: FileLine[]
  /** What stands behind the last line break: somebody may still be writing it. */
  tail: FileLine | null
}

export const mostPriority = 100
const mostGpu = 1023
const lineFeed = 0x0a

/** A file's bytes as lines, each decoded by itself: one that is damaged takes no other with it. */
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

/** Whether a line says nothing: it is empty, or a comment. */
export function isBlankOrComment(text: string): boolean {
  return /^\s*(#|$)/.test(text)
}

/** Reads one line; what is wrong with it is said so that it can be mended. */
export function readJobLine(text: string): LineReading {
  // A tab is a blank; nothing else of the kind belongs into a line.
  if (/[^\P{Cc}\t]/u.test(text)) return refuse('it holds control characters')
  const fields = readFields(text)
  if (!fields.ok) return fields
  const [priorityText = '', script = '', condaEnv = '', args = '', ...gpuTexts] = fields.texts
  const priority = Number(priorityText || '0')
  if (!/^([+-]?\d+)?$/.test(priorityText) || Math.abs(priority) > mostPriority) {
    return refuse(`the priority must be a whole number from -${mostPriority} to ${mostPriority}`)
  }
  if (script === '') return refuse('it names no script: the second field is its path')
  const allowedGpus = readGpus(gpuTexts)
  if (allowedGpus === null) {
    return refuse(
      'behind the arguments only GPU numbers and ranges may stand, such as 0-3 or 4,5; put arguments with a comma in quotes',
    )
  }
  return { ok: true, line: { priority: priority + 0, script, condaEnv, args, allowedGpus } }
}

/** The line that {@link readJobLine} reads as this job. Its texts must be free of line breaks. */
export function formatJobLine({ priority, script, condaEnv, args, allowedGpus }: JobLine): string {
  return [String(priority), ...[script, condaEnv, args].map(quoteField), allowedGpus].join(',')
}

function quoteField(text: string): string {
  return text === text.trim() && !/[,"'\\]/.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}

/** Where the arguments stand. They are a shell's words, so their own quotes keep commas together too. */
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

/** A field in quotes as CSV has them, up to the comma or the end behind it; null where it is none. */
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
  if (text.startsWith('"')) return refuse('its quotes are not closed, or something follows them')
  return { ok: true, text, end }
}

/** Up to the first comma outside of a shell's quotes. */
function readShellText(line: string, start: number): Field {
  const words = endOfShellWords(line, start, ',')
  return words.ok ? { ok: true, text: line.slice(start, words.end).trim(), end: words.end } : words
}

/** The last fields as one list; null when anything else stands there. */
function readGpus(fields: readonly string[]): string | null {
  const text = fields.join(',').replace(/\s+/g, '')
  return text === '' || isGpuList(text) ? text : null
}

/** Whether a text is GPU numbers and ranges without blanks. */
export function isGpuList(text: string): boolean {
  return text.split(',').every((part) => {
    const [, first, last] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? []
    return first !== undefined && Number(first) <= Number(last ?? first) && Number(last ?? first) <= mostGpu
  })
}

function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message }
}
