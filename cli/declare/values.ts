import { readFile } from 'node:fs/promises'
import { durationForms, parseDuration as readDuration } from '@/lib/contract/config/durations'
import { invalidRequest, notFound } from '@/lib/contract/errors'
import { describeFileError } from '../files'

/** Parsers for the values of options. Each error says what to write instead. */

/** Parses seconds, or a number with a unit: `90`, `90s`, `10m`, `2h`, `1d`. */
export function parseDuration(text: string): number {
  const seconds = readDuration(text)
  if (seconds !== null) return seconds
  throw invalidRequest(`"${text}" is not a duration. Write ${durationForms}.`)
}

export function parseNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw invalidRequest(`"${text}" is not a number.`)
}

export function parseInteger(text: string): number {
  const number = parseNumber(text)
  if (Number.isSafeInteger(number)) return number
  throw invalidRequest(`"${text}" is not a whole number.`)
}

export function parseCount(text: string): number {
  const number = parseInteger(text)
  if (number >= 1) return number
  throw invalidRequest(`"${text}" must be 1 or more.`)
}

/** Parses a number of days, or `never`, which is null. */
export function parseDays(text: string): number | null {
  return text === 'never' ? null : parseNumber(text)
}

export function parsePort(text: string): number {
  const number = parseCount(text)
  if (number <= 65_535) return number
  throw invalidRequest(`"${text}" is not a port. Use a number up to 65535.`)
}

/** Adds one `NAME=VALUE`. */
export function addVariable(text: string, others: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw invalidRequest(`"${text}" is not a variable. Write NAME=VALUE.`)
  return { ...others, [text.slice(0, at)]: text.slice(at + 1) }
}

export function addMount(text: string, others: Record<string, string> = {}): Record<string, string> {
  const [path = '', snapshot = ''] = text.split('=')
  if (path === '' || snapshot === '')
    throw invalidRequest(`"${text}" is not a mount. Write PATH=SNAPSHOT, such as /data=data/cifar10.`)
  if (Object.hasOwn(others, path))
    throw invalidRequest(`${path} has two snapshots. Use another path for one of them.`)
  return { ...others, [path]: snapshot }
}

export function addText(text: string, others: readonly string[] = []): string[] {
  return [...others, text]
}

/** `2` requests two GPUs, `0.5` requests half a GPU. */
export function toGpuRequest(gpus: number | undefined): { gpu_count?: number; gpu_fraction?: number } {
  if (gpus === undefined) return {}
  return gpus > 0 && gpus < 1 ? { gpu_fraction: gpus } : { gpu_count: gpus }
}

/** Joins words to one line for a shell. A single word is already such a line. */
export function toShellLine(words: readonly string[]): string {
  const [only] = words
  if (words.length === 1 && only !== undefined) return only
  return words.map(quoted).join(' ')
}

/** Quotes a word for a shell, if it needs that. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export async function readTextFile(path: string): Promise<Blob> {
  try {
    return new Blob([await readFile(path)])
  } catch (error) {
    throw notFound(`Cannot read ${path}: ${describeFileError(error)}.`, { cause: error })
  }
}
