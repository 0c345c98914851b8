import { isObject, parseJson, problem, type ReadScores, toScores } from './files/score-file'

/** The texts in JSON that is an object of numbers are its keys. */
const texts = /"(?:[^"\\]|\\.)*"/g

/** Reads the file of a scoring program: a JSON object with a finite number for each declared column, and nothing else. */
export function readScores(file: Uint8Array, columns: readonly string[]): ReadScores {
  const parsed = parseJson(file)
  if ('problem' in parsed) return parsed
  const { text, value } = parsed
  if (!isObject(value)) return problem('is no JSON object: write one such as {"acc": 0.93}')
  const given = Object.entries(value)
  return toScores(given, columns, (text.match(texts) ?? []).length !== given.length)
}
