import { readPrintedJson } from '@/lib/contract/output/printed-json'

/** A result of a job on a page. */
export interface ShownResult {
  /** Its JSON, as it was printed. */
  json: string
  /** Its value. A number that JavaScript would change is a `PrintedNumber`. */
  value: unknown
  /** It has a key more than once; the value has the last one. */
  repeatsKeys: boolean
}

/**
 * Reads a result; null if it cannot be read.
 * @param line as it was printed: with NaN, which is a text in `json`
 */
export function toShownResult(json: string, line = json): ShownResult | null {
  try {
    const { value, repeatsKeys } = readPrintedJson(line)
    return { json, value, repeatsKeys }
  } catch {
    return null
  }
}
