import { isObject, parseJson, problem, type ReadScores, toScores } from './score-file'

/** The column of the score of all tests. */
const totalColumn = 'score'

type Item = Record<string, unknown>
interface Results {
  score?: unknown
  tests: Item[]
  leaderboard: Item[]
}

/**
 * Reads `results.json` of Gradescope. The column `score` is its score, or the sum of the scores of its tests. Any other column is the value
 * on its leaderboard with this name, or else the score of the test with this name. What has no column is not read.
 */
export function readGradescope(file: Uint8Array, columns: readonly string[]): ReadScores {
  const parsed = parseJson(file)
  if ('problem' in parsed) return parsed
  const { value } = parsed
  if (!isObject(value)) return problem('is no JSON object: write one such as {"score": 44, "tests": []}')
  // Gradescope takes null as absent.
  const leaderboard = value.leaderboard ?? []
  const tests = value.tests ?? []
  if (!isListOfObjects(leaderboard)) return problem('has a "leaderboard" that is no list of objects')
  if (!isListOfObjects(tests)) return problem('has "tests" that are no list of objects')
  const results = { score: value.score ?? undefined, tests, leaderboard }
  const given = columns.flatMap((column) =>
    findScores(results, column).map((score) => [column, score] as const),
  )
  return toScores(given, columns, given.length > new Set(given.map(([column]) => column)).size)
}

/** All values of a column. */
function findScores({ score, tests, leaderboard }: Results, column: string): unknown[] {
  if (column === totalColumn) {
    if (score !== undefined) return [score]
    return tests.length === 0 ? [] : [sumOf(tests)]
  }
  const ofName = (items: Item[]) => items.filter(({ name }) => name === column)
  const ranked = ofName(leaderboard)
  return ranked.length > 0 ? ranked.map(({ value }) => value) : ofName(tests).map((test) => test.score)
}

/** NaN if a test has no score. */
function sumOf(tests: Item[]): number {
  return tests.reduce((sum, { score }) => sum + (typeof score === 'number' ? score : Number.NaN), 0)
}

function isListOfObjects(value: unknown): value is Item[] {
  return Array.isArray(value) && value.every(isObject)
}
