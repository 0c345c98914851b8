import { z } from 'zod'

interface Bounds {
  min: number
  max: number
  /** Takes no decimals. */
  whole?: boolean
}

/** A number as one types it, with what to change said in words. */
export function numberText(bounds: Bounds) {
  return typed.transform((text) => (text === '' ? Number.NaN : Number(text))).pipe(bounded(bounds, '.'))
}

/** The same where nothing may stand as well: null. */
export function optionalNumberText(bounds: Bounds) {
  return typed
    .transform((text) => (text === '' ? null : Number(text)))
    .pipe(bounded(bounds, ', or leave it empty.').nullable())
}

const typed = z.string().trim()

function bounded({ min, max, whole = false }: Bounds, end: string) {
  const kind = whole ? 'a whole number' : 'a number'
  const message = `Use ${kind} from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}${end}`
  const number = z.number(message).min(min, message).max(max, message)
  return whole ? number.int(message) : number
}
