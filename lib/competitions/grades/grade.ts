import type { PhaseRow } from '../access'
import { type BoardRules, countingEntries, rankColumn, type ScoredEntry } from '../boards/rank'
import { formatScore } from '../columns'
import type { CompetitionConfig } from '../contract-config'
import type { Extension, GradeCell, Override } from '../contract-grades'
import { type Deadline, type Penalty, penaltyOf } from './penalty'

/** A phase with what one participant has in it. */
export interface GradedPhase {
  phase: Pick<PhaseRow, 'key' | 'endsAt' | 'spec'>
  /** The scored entries of the participant's team, also late ones, the oldest first. */
  entries: readonly ScoredEntry[]
  extension: Extension | null
  override: Override | null
}

export interface GradeRules {
  columns: CompetitionConfig['scorer']['columns']
  timezone: string
  /** Grades are those of the final column, which participants must not see before the reveal. */
  isFinal: (phase: GradedPhase['phase']) => boolean
}

/** An entry that may count, with its penalty. */
interface Graded {
  entry: ScoredEntry
  penalty: Penalty
  raw: number
  value: number
}

/** What is left of a score. A penalty makes a negative score worse too. Pure. */
export function gradeOf(
  raw: number,
  { points, percent, digits }: { points: number | undefined; percent: number; digits: number },
): number {
  const score = points === undefined ? raw : Math.min(1, Math.max(0, raw)) * points
  const value = score - (Math.abs(score) * percent) / 100
  return Number(formatScore(value, points === undefined ? digits : 2))
}

const compare = (sign: 1 | -1) => (a: Graded, b: Graded) =>
  sign * (a.value - b.value) ||
  a.penalty.graceDaysUsed - b.penalty.graceDaysUsed ||
  a.entry.receivedAt.getTime() - b.entry.receivedAt.getTime()

/**
 * The grade of a participant in a phase: the selection rule decides among the entries that are equally late, and the best result after the
 * penalty counts. Pure.
 */
function gradePhase(
  { phase, entries, extension, override }: GradedPhase,
  { columns, timezone, isFinal }: GradeRules,
  graceDays: number,
): { cell: GradeCell; graceDaysUsed: number } {
  const { select, board, late = null, points } = phase.spec
  const rules: Pick<BoardRules, 'select' | 'board' | 'columns' | 'revealed'> = {
    select,
    board,
    columns,
    revealed: isFinal(phase),
  }
  const name = rankColumn(rules)
  const { order = 'desc', digits = 4 } = columns[name] ?? {}
  const extendedTo = extension === null ? null : new Date(extension.until)
  const deadline: Deadline = { endsAt: phase.endsAt, extendedTo, late, timezone }
  const judged = entries.map((entry) => ({
    entry,
    penalty: penaltyOf(entry.receivedAt, deadline, graceDays),
  }))
  const graded: Graded[] = []
  for (const days of new Set(judged.map(({ penalty }) => penalty.daysLate))) {
    const group = judged.filter(({ penalty }) => penalty.daysLate === days && penalty.counts)
    const counting = new Set(
      countingEntries(
        group.map(({ entry }) => entry),
        rules,
      ),
    )
    for (const { entry, penalty } of group.filter((one) => counting.has(one.entry))) {
      const score = entry.scores[name]
      if (typeof score !== 'number') continue
      const raw = Number(formatScore(score, digits))
      graded.push({ entry, penalty, raw, value: gradeOf(raw, { points, percent: penalty.percent, digits }) })
    }
  }
  const [best] = graded.sort(compare(order === 'asc' ? 1 : -1))
  const tooLate = judged.findLast(({ penalty }) => !penalty.counts)
  const shown = best?.penalty ?? tooLate?.penalty ?? null
  const cell: GradeCell = {
    phase: phase.key,
    value: override?.value ?? best?.value ?? null,
    points: points ?? null,
    column: name,
    raw: best?.raw ?? null,
    entry_id: best?.entry.id ?? null,
    penalty: shown && {
      days_late: shown.daysLate,
      grace_days_used: shown.graceDaysUsed,
      percent: shown.percent,
      explanation: shown.explanation,
    },
    extension,
    override,
  }
  return { cell, graceDaysUsed: shown?.graceDaysUsed ?? 0 }
}

/**
 * The grades of a participant. Grace days are those of all phases together: the phase that ends first uses them first, as many as it can. Pure.
 */
export function gradeStudent(
  phases: readonly GradedPhase[],
  rules: GradeRules,
  graceDays: number,
): { cells: GradeCell[]; graceDaysLeft: number } {
  let left = graceDays
  const cells = new Map<string, GradeCell>()
  for (const given of phases.toSorted((a, b) => a.phase.endsAt.getTime() - b.phase.endsAt.getTime())) {
    const { cell, graceDaysUsed } = gradePhase(given, rules, left)
    left -= graceDaysUsed
    cells.set(cell.phase, cell)
  }
  return {
    cells: phases.flatMap(({ phase }) => cells.get(phase.key) ?? []),
    graceDaysLeft: left,
  }
}
