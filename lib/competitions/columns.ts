import type { ColumnOfBoard } from './contract'
import type { ScorerConfig } from './contract-config'

/** A score in the digits of its column. These digits decide ranks, so what looks equal is equal. */
export function formatScore(value: number, digits: number): string {
  const text = value.toFixed(digits)
  // Rounding must not leave a sign: -0.00 and 0.00 are equal.
  return Number(text) === 0 ? text.replace('-', '') : text
}

/**
 * The columns that a viewer may see, in the order of competition.yaml: the public ones, and the private ones for the staff, and for everybody once the board is revealed.
 * @param scorer of the version whose scores are shown
 */
export function visibleColumns(
  { columns }: Pick<ScorerConfig, 'columns'>,
  { isStaff, isRevealed }: { isStaff: boolean; isRevealed: boolean },
): ColumnOfBoard[] {
  return Object.entries(columns)
    .filter(([, { split }]) => split === 'public' || isStaff || isRevealed)
    .toSorted(([, a], [, b]) => a.place - b.place)
    .map(([name, { split, order, digits }]) => ({ name, split, order, digits }))
}
