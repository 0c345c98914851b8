import * as z from 'zod'
import { formatNumber } from '../ui/format-number'

const typed = z.string().trim()

/** Optional text. Empty text is null. */
export function optionalText(max: number) {
  return typed.max(max).transform((text) => text || null)
}

interface Bounds {
  min: number
  max: number
  /** Accepts no decimals. */
  whole?: boolean
}

/** A number as text, with messages for people. */
export function numberText(bounds: Bounds) {
  return typed.transform((text) => (text === '' ? Number.NaN : Number(text))).pipe(bounded(bounds, '.'))
}

/** The same for an optional number. Empty text is null. */
export function optionalNumberText(bounds: Bounds) {
  return typed
    .transform((text) => (text === '' ? null : Number(text)))
    .pipe(bounded(bounds, ', or leave it empty.').nullable())
}

function bounded({ min, max, whole = false }: Bounds, end: string) {
  const kind = whole ? 'a whole number' : 'a number'
  const message = `Use ${kind} from ${formatNumber(min)} to ${formatNumber(max)}${end}`
  const number = z.number(message).min(min, message).max(max, message)
  return whole ? number.int(message) : number
}
