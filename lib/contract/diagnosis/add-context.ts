import { visibleText } from '../text/sanitize-text'
import type { Diagnosis } from './diagnosis'

/** Lines before and after the one that failed. */
const around = 3

/** Adds the lines of the program around the place, of which the server has the text. */
export function addContext(diagnosis: Diagnosis, source: string): Diagnosis {
  const { place } = diagnosis
  const lines = source.split('\n')
  if (place === null || place.line > lines.length) return diagnosis
  const first = Math.max(1, place.line - around)
  const context = lines.slice(first - 1, place.line + around).map((text, index) => ({
    line: first + index,
    text: visibleText(text.replaceAll('\t', '    ').trimEnd(), 200),
  }))
  return {
    ...diagnosis,
    place: { ...place, context, code: place.code ?? visibleText((lines[place.line - 1] ?? '').trim(), 300) },
  }
}
