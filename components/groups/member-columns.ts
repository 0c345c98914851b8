import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import { metricNamesOf, metricOf } from '@/lib/groups/contract-csv'
import { labelOf } from './member-status'

type Value = number | string | boolean | null

/** A column of the table of members. */
export interface MemberColumn {
  id: string
  label: string
  /** A column of numbers is at the end of its place. */
  numeric: boolean
  /** What it is sorted by; null: the member has none. */
  value: (member: GroupMember) => Value
}

/** More columns would be unreadable. The CSV has all. */
const maxMetrics = 24

/** Milliseconds of the last attempt; null: it has not started. While it runs, until now. */
export function runTimeOf({ started_at, ended_at }: GroupMember, now: number | null): number | null {
  if (started_at === null) return null
  const end = ended_at === null ? now : Date.parse(ended_at)
  return end === null ? null : Math.max(0, end - Date.parse(started_at))
}

/** Why a member waits, is paused, or did not complete; null: it completed, or nothing is known. */
const reasonOf = ({ status, reason_text }: GroupMember) => (status === 'completed' ? null : reason_text)

/** The names of all metrics of the members, that of the objective first. */
export function metricsOf(members: readonly GroupMember[], objective: GroupDetail['objective']): string[] {
  const names = new Set(members.flatMap(metricNamesOf))
  const first = objective && names.delete(objective.metric) ? [objective.metric] : []
  return [...first, ...[...names].sort()]
}

/** The columns of a group: number, status, parameters, repeat, metrics, run time. */
export function columnsOf(group: GroupDetail, members: readonly GroupMember[]): MemberColumn[] {
  const metrics = metricsOf(members, group.objective).slice(0, maxMetrics)
  return [
    { id: 'index', label: 'Member', numeric: false, value: ({ index }) => index },
    { id: 'status', label: 'Status', numeric: false, value: ({ status }) => labelOf(status) },
    ...group.parameters.map((name) => ({
      id: `parameter ${name}`,
      label: name,
      numeric: members.every(({ parameters }) => typeof parameters[name] === 'number'),
      value: ({ parameters }: GroupMember) => parameters[name] ?? null,
    })),
    ...(members.some(({ repeat }) => repeat > 0)
      ? [{ id: 'repeat', label: 'Repeat', numeric: true, value: ({ repeat }: GroupMember) => repeat }]
      : []),
    ...metrics.map((name) => ({
      id: `metric ${name}`,
      label: name,
      numeric: true,
      value: (member: GroupMember) => metricOf(member, name) ?? null,
    })),
    ...(members.some((member) => reasonOf(member) !== null)
      ? [{ id: 'reason', label: 'Reason', numeric: false, value: reasonOf }]
      : []),
    { id: 'run_time', label: 'Run time', numeric: true, value: (member) => runTimeOf(member, null) },
  ]
}

export interface MemberOrder {
  column: string
  ascending: boolean
}

/** The members with one status, or all, in an order. Members without the value are last, after those whose value is NaN. */
export function arrangeMembers(
  members: readonly GroupMember[],
  columns: readonly MemberColumn[],
  { status, order }: { status: GroupMember['status'] | 'all'; order: MemberOrder | null },
): readonly GroupMember[] {
  const chosen = status === 'all' ? members : members.filter((member) => member.status === status)
  const column = columns.find(({ id }) => id === order?.column)
  if (!order || !column) return chosen
  const sign = order.ascending ? 1 : -1
  return chosen.toSorted((a, b) => {
    const [x, y] = [column.value(a), column.value(b)]
    if (x === null || y === null || Number.isNaN(x) || Number.isNaN(y)) return rankOf(x) - rankOf(y)
    return sign * compare(x, y)
  })
}

/** What is after all other values in both directions. */
const rankOf = (value: Value) => (value === null ? 2 : Number.isNaN(value) ? 1 : 0)

function compare(x: NonNullable<Value>, y: NonNullable<Value>): number {
  if (typeof x === 'number' && typeof y === 'number') return x - y
  return String(x).localeCompare(String(y), 'en', { numeric: true })
}
