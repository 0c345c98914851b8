import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputStream } from '@/lib/contract/output/printed-output'
import type { ResultFileRecord } from '@/lib/contract/output/records'

/**
 * A Python program that shows exceptions. The tracebacks have a mark, such as `#1`. What the program flushes before one of them on
 * another stream begins with `before` and the number of its mark.
 */
export interface CrashingProgram {
  name: string
  code: string
}

/** A line, or the lines of a traceback. */
interface Placed {
  stream: OutputStream
  text: string
  /** The first and the last of its records. */
  first: number
  last: number
}

const directory = join(import.meta.dirname, 'crashes')
/** gpuq runs Python without a buffer. The programs of this file have one, as in a command. */
const buffered = 'buffered.py'
const withBuffer =
  'import os, sys\nif os.environ.pop("GPUQ_BUFFERED", None) is None:\n    os.environ["GPUQ_BUFFERED"] = "1"\n    os.execv(sys.executable, [sys.executable, __file__])\n'

/** Reads the programs of the corpus. */
export async function readCrashingPrograms(): Promise<CrashingProgram[]> {
  const files = (await readdir(directory)).sort()
  const programs = files.map(async (file) => {
    const parts = (await readFile(join(directory, file), 'utf8')).split(/^#: /m).slice(1)
    return parts.map((part) => {
      const end = part.indexOf('\n')
      const code = part.slice(end + 1)
      return { name: `${file}: ${part.slice(0, end)}`, code: file === buffered ? withBuffer + code : code }
    })
  })
  return (await Promise.all(programs)).flat()
}

/** What is wrong with the order of the records of a crashing program. Empty: nothing is. */
export function findMisplaced(records: readonly ResultFileRecord[]): string[] {
  const lines = toLines(records)
  const tracebacks = (['stdout', 'stderr'] as const).flatMap((stream) =>
    toTracebacks(lines.filter((line) => line.stream === stream)),
  )
  if (!tracebacks.some(({ text }) => text.includes('#1'))) return ['There is no traceback.']
  const split = tracebacks.flatMap(({ stream, first, last, text }) => {
    const within = lines.find((line) => line.stream !== stream && line.last > first && line.first < last)
    return within ? [`${JSON.stringify(within.text)} is within ${JSON.stringify(text.slice(0, 200))}`] : []
  })
  const flushed = lines.flatMap((line) => {
    const number = /before (\d)/.exec(line.text)?.[1]
    return number === undefined || line.text.includes('#') ? [] : [{ ...line, mark: `#${number}` }]
  })
  if (flushed.length === 0) return ['Nothing was flushed.']
  const late = flushed.filter(({ stream, mark, first }) =>
    tracebacks.some(
      (traceback) => traceback.text.includes(mark) && traceback.stream !== stream && traceback.first < first,
    ),
  )
  return [...split, ...late.map(({ text }) => `${JSON.stringify(text.slice(0, 50))} is after its traceback`)]
}

/** Puts the pieces of lines together. */
function toLines(records: readonly ResultFileRecord[]): Placed[] {
  const lines: Placed[] = []
  const open: Partial<Record<OutputStream, Placed>> = {}
  for (const [index, record] of records.entries()) {
    if (record.type !== 'stdout' && record.type !== 'stderr' && record.type !== 'result') continue
    const stream = record.type === 'stderr' ? 'stderr' : 'stdout'
    const text = record.type === 'result' ? 'a result' : record.text
    const line = open[stream] ?? { stream, text: '', first: index, last: index }
    if (open[stream] === undefined) lines.push(line)
    line.text += text
    line.last = index
    const isOver = record.type === 'result' || record.eol !== false
    open[stream] = isOver ? undefined : line
  }
  return lines
}

/** Finds the tracebacks in the lines of one stream. A chain of exceptions is one. */
function toTracebacks(lines: readonly Placed[]): Placed[] {
  const found: Placed[] = []
  for (let index = 0; index < lines.length; index++) {
    const begin = lines[index]
    if (begin === undefined || !isFirst(begin.text)) continue
    let end = index
    while (end + 1 < lines.length && isInside(lines[end + 1]?.text ?? '', lines[end]?.text ?? '')) end += 1
    const all = lines.slice(index, end + 1)
    found.push({
      ...begin,
      text: all.map(({ text }) => text).join('\n'),
      last: lines[end]?.last ?? begin.last,
    })
    index = end
  }
  return found
}

const isFirst = (text: string) =>
  /\(most recent call (?:last|first)\):$/.test(text) || /^ {2}File "[^"]+", line \d+$/.test(text)
/** Between the exceptions of a chain. */
const isLink = (text: string) =>
  /^$|^During handling of the above|^The above exception was the direct cause/.test(text)

/** Whether a line belongs to the traceback of the line before it. */
function isInside(text: string, before: string): boolean {
  if (/^\s|^\[rank0\]:/.test(text) || isLink(text)) return true
  if (/most recent call last\):$/.test(text)) return isLink(before)
  return /^\s|most recent call last\):$/.test(before)
}
