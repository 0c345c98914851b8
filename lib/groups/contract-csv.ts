import { toCell } from '../contract/text/csv-cell'
import type { GroupMember } from './contract'

/** Seconds from the start to the end; null: it has not ended. */
export const runSecondsOf = ({ started_at, ended_at }: Pick<GroupMember, 'started_at' | 'ended_at'>) =>
  started_at === null || ended_at === null ? null : (Date.parse(ended_at) - Date.parse(started_at)) / 1000

/** All members as CSV (RFC 4180): a column for each parameter and each metric. */
export function membersToCsv(members: readonly GroupMember[], parameters: readonly string[]): string {
  const metrics = [...new Set(members.flatMap((member) => Object.keys(member.metrics)))].toSorted()
  const head = ['member', ...parameters, 'repeat', 'status', ...metrics, 'run_seconds', 'job_id']
  const rows = members.map((member) => [
    member.index,
    ...parameters.map((name) => member.parameters[name]),
    member.repeat,
    member.status,
    ...metrics.map((name) => member.metrics[name]),
    runSecondsOf(member),
    member.job_id,
  ])
  // A number stays one, also if it is negative.
  const cellOf = (value: string | number | boolean | null | undefined) =>
    typeof value === 'string' ? toCell(value) : String(value ?? '')
  return [head, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
}
