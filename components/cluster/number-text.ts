import { z } from 'zod'

interface Bounds {
  min: number
  max: number
  /** Takes no decimals. */
  whole?: boolean
}

/** A number as one types it, with what to change said in words. */
export function numberText({ min, max, whole = false }: Bounds) {
  const kind = whole ? 'a whole number' : 'a number'
  const says = `Use ${kind} from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`
  const number = z.number(says).min(min, says).max(max, says)
  return z
    .string()
    .trim()
    .transform((text) => (text === '' ? Number.NaN : Number(text)))
    .pipe(whole ? number.int(says) : number)
}
