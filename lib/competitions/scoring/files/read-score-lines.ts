import { decode, named, problem, type ReadScores, toScores } from './score-file'

const line = /^([^:\s][^:]*?)\s*:\s+(\S+)$/
const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Reads `scores.txt` of Codabench: a line `COLUMN: NUMBER` for each declared column. */
export function readScoreLines(file: Uint8Array, columns: readonly string[]): ReadScores {
  const text = decode(file)
  if (text === null) return problem('is no text in UTF-8')
  const lines = text
    .split(/\r\n|\n/)
    .map((one) => one.trim())
    .filter((one) => one !== '' && !one.startsWith('#'))
  const given: [string, number][] = []
  for (const one of lines) {
    const [, column, value] = line.exec(one) ?? []
    if (column === undefined || value === undefined)
      return problem(`has a line that is not COLUMN: NUMBER: ${named([one])}`)
    given.push([column, number.test(value) ? Number(value) : Number.NaN])
  }
  const hasRepeated = new Set(given.map(([column]) => column)).size < given.length
  return toScores(given, columns, hasRepeated)
}
