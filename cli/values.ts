import { readFile } from 'node:fs/promises'
import { GpuqError } from '@/lib/errors'

/** Values of options, as people write them. Each refusal says what to write instead. */

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds, or a number with a unit: `90`, `90s`, `10m`, `2h`, `1d`. */
export function parseDuration(text: string): number {
  const match = text.match(/^(\d+(?:\.\d+)?)([smhd]?)$/)
  const seconds = Number(match?.[1]) * (secondsOf[match?.[2] || 's'] ?? 1)
  if (match && seconds > 0) return seconds
  throw refuse(`"${text}" is no length of time. Write seconds, or a unit as in 90s, 10m or 2h.`)
}

export function parseNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw refuse(`"${text}" is no number.`)
}

export function parseInteger(text: string): number {
  const number = parseNumber(text)
  if (Number.isSafeInteger(number)) return number
  throw refuse(`"${text}" is no whole number.`)
}

/** One more `KEY=VALUE`. */
export function addVariable(text: string, others: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw refuse(`"${text}" is no variable. Write it as NAME=VALUE.`)
  return { ...others, [text.slice(0, at)]: text.slice(at + 1) }
}

export function addText(text: string, others: readonly string[] = []): string[] {
  return [...others, text]
}

export interface GpuWish {
  gpu_count?: number
  gpu_fraction?: number
}

/** `2` is two GPUs, `0.5` half of one. */
export function toGpuWish(gpus: number | undefined): GpuWish {
  if (gpus === undefined) return {}
  return gpus > 0 && gpus < 1 ? { gpu_fraction: gpus } : { gpu_count: gpus }
}

/** Words as one line for a shell: a single word is a line already. */
export function toShellLine(words: readonly string[]): string {
  const [only] = words
  if (words.length === 1 && only !== undefined) return only
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

export async function readTextFile(path: string): Promise<Blob> {
  try {
    return new Blob([await readFile(path)])
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : String(code)
    throw new GpuqError('not_found', `${path} cannot be read: ${why}.`, { cause: error })
  }
}

function refuse(message: string): GpuqError {
  return new GpuqError('invalid_request', message)
}
