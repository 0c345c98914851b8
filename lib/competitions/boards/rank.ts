import { formatScore } from '../columns'
import type { ColumnOfBoard } from '../contract'
import type { BoardRow } from '../contract-boards'
import type { Column, PhaseConfig } from '../contract-config'

/** An entry of a team or a baseline that has scores and is not disqualified. */
export interface ScoredEntry {
  id: string
  /** Null: a baseline. */
  teamId: string | null
  /** The name of the team or of the baseline. */
  team: string
  receivedAt: Date
  chosen: boolean
  /** What the scoring program wrote, by column. */
  scores: Readonly<Record<string, unknown>>
  /** How many such entries the team or the baseline has. */
  entries: number
}

export interface BoardRules {
  select: PhaseConfig['select']
  board: Pick<PhaseConfig['board'], 'rank' | 'final' | 'ties'>
  columns: Readonly<Record<string, Column>>
  /** The columns whose values are in the rows. */
  shown: readonly ColumnOfBoard[]
  revealed: boolean
}

/** A row of a board, before somebody sees it. */
export interface RankedRow extends Omit<BoardRow, 'own' | 'change'> {
  team_id: string | null
}

/** The column by which the teams are ranked. */
export const rankColumn = ({ board, revealed }: Pick<BoardRules, 'board' | 'revealed'>): string =>
  (revealed ? board.final : undefined) ?? board.rank

/** The column that selects the entries of a team; null: the time does. */
export function selectColumn(select: PhaseConfig['select']): string | null {
  if (select.rule === 'last') return null
  return select.rule === 'best' ? select.by : select.fallback
}

/**
 * The columns that an entry needs to be eligible. The final column is not one of them: the selection before and
 * after the reveal must be the same, because teams choose by what they see.
 */
export function decidingColumns({ select, board }: Pick<BoardRules, 'select' | 'board'>): string[] {
  const by = selectColumn(select)
  return [...new Set([board.rank, ...board.ties, ...(by === null ? [] : [by])])]
}

/** What an entry is compared by, in each column the smaller number first. Null: it lacks one. */
type Keys = readonly number[]

/** An entry with its keys. */
interface Compared {
  entry: ScoredEntry
  keys: Keys
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** Scores are numbers in all columns, or the scoring program has failed, whatever else it wrote. */
const hasNumbers = ({ scores }: ScoredEntry) =>
  Object.values(scores).every((value) => numberOf(value) !== null)

/** The numbers of an entry as they are shown, so that what looks equal is equal. */
function keysOf(
  { scores }: ScoredEntry,
  names: readonly string[],
  columns: BoardRules['columns'],
): Keys | null {
  const keys: number[] = []
  for (const name of names) {
    const column = columns[name]
    const value = numberOf(scores[name])
    if (!column || value === null) return null
    const shown = Number(formatScore(value, column.digits))
    keys.push(column.order === 'desc' ? -shown : shown)
  }
  return keys
}

function compareKeys(a: Keys, b: Keys): number {
  for (let index = 0; index < a.length; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const compareAge = (a: ScoredEntry, b: ScoredEntry) =>
  a.receivedAt.getTime() - b.receivedAt.getTime() || (a.id < b.id ? -1 : 1)

/** The entries that have all these columns, the best first, and the earlier one of equal ones. */
function sortBy(
  entries: readonly ScoredEntry[],
  names: readonly string[],
  columns: BoardRules['columns'],
): Compared[] {
  const compared: Compared[] = []
  for (const entry of entries) {
    const keys = keysOf(entry, names, columns)
    if (keys !== null) compared.push({ entry, keys })
  }
  return compared.sort((a, b) => compareKeys(a.keys, b.keys) || compareAge(a.entry, b.entry))
}

/** The entries of a team of which the best one counts. */
function selectEntries(
  eligible: readonly ScoredEntry[],
  { select, columns }: Pick<BoardRules, 'select' | 'columns'>,
): readonly ScoredEntry[] {
  const by = selectColumn(select)
  if (eligible.length <= 1) return eligible
  if (by === null) return eligible.toSorted(compareAge).slice(-1)
  const chosen = select.rule === 'chosen' ? eligible.filter((entry) => entry.chosen) : []
  const selected = sortBy(chosen.length > 0 ? chosen : eligible, [by], columns)
  return selected.slice(0, select.rule === 'chosen' ? select.n : 1).map(({ entry }) => entry)
}

/** The entries of one team, or of a baseline, that the rule selects among the eligible ones. The best of them counts. */
export function countingEntries(
  group: readonly ScoredEntry[],
  rules: Pick<BoardRules, 'select' | 'board' | 'columns'>,
): readonly ScoredEntry[] {
  const deciding = decidingColumns(rules)
  const eligible = group.filter(
    (entry) => hasNumbers(entry) && keysOf(entry, deciding, rules.columns) !== null,
  )
  return selectEntries(eligible, rules)
}

function groupEntries(entries: Iterable<ScoredEntry>): ScoredEntry[][] {
  const groups = new Map<string, ScoredEntry[]>()
  for (const entry of entries) {
    // Ids have no spaces, so a baseline has no key of a team.
    const key = entry.teamId ?? ` ${entry.team}`
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  return [...groups.values()]
}

function rowOf({ id: _, scores, receivedAt, ...entry }: ScoredEntry, shown: BoardRules['shown']): RankedRow {
  const values: Record<string, string> = {}
  for (const { name, digits } of shown) {
    const value = numberOf(scores[name])
    if (value !== null) values[name] = formatScore(value, digits)
  }
  return {
    rank: null,
    team: entry.team,
    team_id: entry.teamId,
    kind: entry.teamId === null ? 'baseline' : 'team',
    values,
    entries: entry.entries,
    best_at: receivedAt.toISOString(),
  }
}

/** Groups or rows of which a part of the work consists, so that it takes about a millisecond. */
const partSize = 500

/**
 * The one order of a board, for pages, API and CSV: eligible entries → selection of each team → the best of it → rank by the numbers
 * as shown. Equal teams share a rank, and the next ones have the rank that they would have otherwise: 1, 1, 3. A baseline stands
 * behind the teams that it equals, has no rank and takes none. Yields after each part of the work, so that others can work.
 */
export function* rankInParts(
  entries: Iterable<ScoredEntry>,
  rules: BoardRules,
): Generator<void, RankedRow[]> {
  const { board, columns, shown } = rules
  const ranking = [rankColumn(rules), ...board.ties]
  const counting: Compared[] = []
  for (const [index, group] of groupEntries(entries).entries()) {
    const [best] = sortBy(countingEntries(group, rules), ranking, columns)
    if (best) counting.push(best)
    if (index % partSize === partSize - 1) yield
  }
  const isBaseline = ({ teamId }: ScoredEntry) => (teamId === null ? 1 : 0)
  counting.sort(
    (a, b) =>
      compareKeys(a.keys, b.keys) ||
      isBaseline(a.entry) - isBaseline(b.entry) ||
      compareAge(a.entry, b.entry),
  )
  yield
  const rows: RankedRow[] = []
  let teams = 0
  let last: { rank: number; keys: Keys } | null = null
  for (const { entry, keys } of counting) {
    const row = rowOf(entry, shown)
    if (row.kind === 'team') {
      teams += 1
      if (last === null || compareKeys(last.keys, keys) !== 0) last = { rank: teams, keys }
      row.rank = last.rank
    }
    rows.push(row)
    if (rows.length % partSize === 0) yield
  }
  return rows
}

/** The rows with the places that each team won since an earlier ranking. */
export function withChanges(
  rows: readonly RankedRow[],
  before: readonly RankedRow[],
): (RankedRow & { change: number | null })[] {
  const ranks = new Map(before.map(({ team_id, rank }) => [team_id, rank]))
  return rows.map((row) => {
    const earlier = row.team_id === null ? null : (ranks.get(row.team_id) ?? null)
    return { ...row, change: earlier === null || row.rank === null ? null : earlier - row.rank }
  })
}
