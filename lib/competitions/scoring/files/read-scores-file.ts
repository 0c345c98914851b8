import type { ScoresFile } from '../../contract-formats'
import { readScores } from '../read-scores'
import { readGradescope } from './read-gradescope'
import { readScoreLines } from './read-score-lines'
import type { ReadScores } from './score-file'

/** Maximum size of the file of a scoring program. */
export const maxScoresBytes = 1024 * 1024

const readers: Record<ScoresFile, (file: Uint8Array, columns: readonly string[]) => ReadScores> = {
  'scores.json': readScores,
  'scores.txt': readScoreLines,
  'results.json': readGradescope,
}

/** Reads the file of a scoring program: a finite number for each declared column. */
export function readScoresFile(name: ScoresFile, file: Uint8Array, columns: readonly string[]): ReadScores {
  return readers[name](file, columns)
}
