import { type BoardRules, type RankedRow, rankInParts, type ScoredEntry } from '../boards/rank'

/** Ranks entries without a pause. */
export function rankAtOnce(entries: readonly ScoredEntry[], rules: BoardRules): RankedRow[] {
  const parts = rankInParts(entries, rules)
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
  }
}
