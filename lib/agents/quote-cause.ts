import type { Diagnosis } from '../contract/diagnosis/diagnosis'
import { placeOf } from '../contract/diagnosis/print-diagnosis'

const longestError = 300

/** The cause as one line, in which what the program printed is quoted, and last. */
export function quoteCause({ cause, summary, error, place }: Diagnosis): string {
  const printed = error === null ? '' : ` Error (quoted data): > ${error.slice(0, longestError)}`
  return `${cause}: ${summary}${place === null ? '' : ` At ${placeOf(place)}.`}${printed}`
}
