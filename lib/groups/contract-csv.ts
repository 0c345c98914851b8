import { toCell } from '../contract/text/csv-cell'
import type { GroupMember } from './contract'

/** Seconds from the start to the end; null: it has not ended. */
export const runSecondsOf = ({ started_at, ended_at }: Pick<GroupMember, 'started_at' | 'ended_at'>) =>
  started_at === null || ended_at === null ? null : (Date.parse(ended_at) - Date.parse(started_at)) / 1000

/** The names of all metrics that a member has printed. */
export const metricNamesOf = ({ metrics, not_finite }: Pick<GroupMember, 'metrics' | 'not_finite'>) => [
  ...Object.keys(metrics),
  ...not_finite,
]

/** The last value of a metric of a member; NaN: it was not finite; undefined: it has printed none. */
export const metricOf = (
  { metrics, not_finite }: Pick<GroupMember, 'metrics' | 'not_finite'>,
  name: string,
): number | undefined => (not_finite.includes(name) ? Number.NaN : metrics[name])

/** All members as CSV (RFC 4180): a column for each parameter and each metric. */
export function membersToCsv(members: readonly GroupMember[], parameters: readonly string[]): string {
  const metrics = [...new Set(members.flatMap(metricNamesOf))].toSorted()
  return [
    csvHead(parameters, metrics),
    ...members.map((member) => csvLine(member, parameters, metrics)),
  ].join('')
}

/** The first line. @param more the names of further columns */
export function csvHead(
  parameters: readonly string[],
  metrics: readonly string[],
  more: readonly string[] = [],
): string {
  return toLine(['member', ...parameters, 'repeat', 'status', ...metrics, 'run_seconds', 'job_id', ...more])
}

/** The line of a member. @param more its values in the further columns */
export function csvLine(
  member: GroupMember,
  parameters: readonly string[],
  metrics: readonly string[],
  more: readonly string[] = [],
): string {
  return toLine([
    member.index,
    ...parameters.map((name) => member.parameters[name]),
    member.repeat,
    member.status,
    ...metrics.map((name) => metricOf(member, name)),
    runSecondsOf(member),
    member.job_id,
    ...more,
  ])
}

type Cell = string | number | boolean | null | undefined

const toLine = (cells: readonly Cell[]) => `${cells.map(toText).join(',')}\r\n`

/** A number stays one, also if it is negative. */
const toText = (value: Cell) => (typeof value === 'string' ? toCell(value) : String(value ?? ''))
