import { setImmediate } from 'node:timers/promises'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'
import type { PhaseRow, SeenCompetition } from '../access'
import { visibleColumns } from '../columns'
import type { ColumnOfBoard } from '../contract'
import { BoardCache } from './board-cache'
import {
  type BoardRules,
  type RankedRow,
  rankColumn,
  rankInParts,
  type ScoredEntry,
  withChanges,
} from './rank'
import { readEntries } from './read-entries'

/** A complete board, in its order. */
export interface Ranking {
  columns: ColumnOfBoard[]
  rank_by: string
  /** Null: it has no row. */
  updated_at: string | null
  rows: (RankedRow & { change: number | null })[]
}

/** Which board a reader sees. */
export interface BoardView {
  isStaff: boolean
  isRevealed: boolean
  /** Entries received from then on are not on the board; null: all are. */
  until: Date | null
}

/** What is before the reveal on the boards of participants ends with the freeze. The staff sees the live board. */
export function viewOf(
  { isStaff }: Pick<SeenCompetition, 'isStaff'>,
  { freezeAt, revealedAt }: Pick<PhaseRow, 'freezeAt' | 'revealedAt'>,
): BoardView {
  const isRevealed = revealedAt !== null
  return { isStaff, isRevealed, until: isStaff || isRevealed ? null : freezeAt }
}

const dayMs = 24 * 60 * 60_000

/**
 * Computes the board of a phase.
 * @param yesterday the moment with which ranks are compared
 */
export async function computeRanking(
  competition: Pick<SeenCompetition, 'spec'>,
  phase: Pick<PhaseRow, 'id' | 'spec' | 'startsAt'>,
  { until, ...audience }: BoardView,
  yesterday: Date,
): Promise<Ranking> {
  const { id, startsAt } = phase
  const rules = rulesOf(competition, phase, audience)
  const { entries, updatedAt } = await readEntries(id, rules, until)
  const earlier =
    yesterday > startsAt && entries.length > 0 ? (await readEntries(id, rules, yesterday)).entries : []
  return {
    columns: [...rules.shown],
    rank_by: rankColumn(rules),
    updated_at: updatedAt?.toISOString() ?? null,
    rows: withChanges(await rank(entries, rules), await rank(earlier, { ...rules, shown: [] })),
  }
}

/** What decides about the rows of a board and their order. */
export function rulesOf(
  { spec: { scorer } }: Pick<SeenCompetition, 'spec'>,
  { spec }: Pick<PhaseRow, 'spec'>,
  audience: Omit<BoardView, 'until'>,
): BoardRules {
  return {
    select: spec.select,
    board: spec.board,
    columns: scorer.columns,
    shown: visibleColumns(scorer, audience),
    revealed: audience.isRevealed,
  }
}

/** Ranks entries, and serves other requests after each part. */
export async function rank(entries: readonly ScoredEntry[], rules: BoardRules): Promise<RankedRow[]> {
  const parts = rankInParts(entries, rules)
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
    await setImmediate()
  }
}

/** The moment with which the ranks of a board are compared: the last full hour, or its freeze, a day before. */
export const yesterdayOf = ({ until }: BoardView, hour: Date): Date =>
  new Date(Math.min(hour.getTime(), until?.getTime() ?? hour.getTime()) - dayMs)

/** A ranking in memory, with its rows by team. */
export interface KeptRanking extends Ranking {
  byTeam: ReadonlyMap<string, Ranking['rows'][number]>
}

/** Rows of all boards that are kept in memory; one takes about 500 bytes. */
const maxRows = 60_000

const kept = new BoardCache<KeptRanking>(maxRows, ({ rows }) => 10 + rows.length)

const keep = (ranking: Ranking): KeptRanking => ({
  ...ranking,
  byTeam: new Map(ranking.rows.flatMap((row) => (row.team_id === null ? [] : [[row.team_id, row]]))),
})

interface State {
  boardVersion: number
  storedAt: Date | null
  /** The last full hour. */
  hour: Date
  isFrozen: boolean
}

/** The board of a phase as a reader sees it. One that others have just read is taken from memory. */
export async function findRanking(
  competition: SeenCompetition,
  phase: PhaseRow,
): Promise<{ ranking: KeptRanking; frozenAt: Date | null }> {
  const view = viewOf(competition, phase)
  const state = await findRow<State>(database().pool, {
    name: 'find-board-state',
    text: `SELECT c.board_version AS "boardVersion", date_trunc('hour', now()) AS hour, coalesce(p.freeze_at <= now(), false) AS "isFrozen",
                  (SELECT b.created_at FROM board_snapshots b WHERE b.phase_id = p.id AND b.freeze_at = p.freeze_at) AS "storedAt"
             FROM competition_phases p JOIN competitions c ON c.id = p.competition_id WHERE p.id = $1`,
    values: [phase.id],
  })
  if (!state) throw new Error('A phase that was found has no competition.')
  const { boardVersion, storedAt, hour, isFrozen } = state
  // The version of the spec that is used: readers of a newer one must not find its board.
  const { version } = competition
  const yesterday = yesterdayOf(view, hour)
  const stored = view.until === null ? null : storedAt
  const key = [phase.id, version, view.isStaff, view.isRevealed, view.until?.getTime(), yesterday.getTime()]
  const ranking = await (stored === null
    ? kept.get(key.join(), boardVersion, async () =>
        keep(await computeRanking(competition, phase, view, yesterday)),
      )
    : kept.get([phase.id, version, stored.getTime()].join(), 0, async () =>
        keep(await readStored(competition, phase.id)),
      ))
  return { ranking, frozenAt: isFrozen ? view.until : null }
}

/** The board of the freeze. Rows and digits stay as they were; a column that is private by now is not shown. */
async function readStored({ spec }: Pick<SeenCompetition, 'spec'>, phaseId: string): Promise<Ranking> {
  const row = await findRow<{ board: Ranking }>(database().pool, {
    name: 'read-stored-board',
    text: 'SELECT board FROM board_snapshots WHERE phase_id = $1',
    values: [phaseId],
  })
  if (!row) throw new Error('The stored board of a phase has disappeared.')
  const { columns, rows, ...board } = row.board
  const isPrivate = ({ name }: ColumnOfBoard) => spec.scorer.columns[name]?.split === 'private'
  const shown = columns.filter((column) => !isPrivate(column))
  if (shown.length === columns.length) return row.board
  const cut = rows.map((each) => ({
    ...each,
    values: Object.fromEntries(
      shown.flatMap(({ name }) => (each.values[name] === undefined ? [] : [[name, each.values[name]]])),
    ),
  }))
  return { ...board, columns: shown, rows: cut }
}
