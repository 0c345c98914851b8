import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import type { Column } from '../console/table'

/** `lr=0.1 width=64`. */
export const describeParameters = ({
  parameters,
  repeat,
}: Pick<GroupMember, 'parameters' | 'repeat'>): string =>
  [...Object.entries(parameters), ...(repeat > 0 ? [['repeat', repeat]] : [])]
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** A member in one line. */
export function describeMember(member: GroupMember, metric: string | undefined): string {
  const { index, job_id, objective } = member
  const value = metric === undefined || objective === null ? '' : `${metric} ${objective}, `
  return `${value}${describeParameters(member)} (member ${index}, job ${job_id})`
}

/** Seconds from the start to the end. */
export function runTimeOf({
  started_at,
  ended_at,
}: Pick<GroupMember, 'started_at' | 'ended_at'>): number | null {
  return started_at === null || ended_at === null
    ? null
    : (Date.parse(ended_at) - Date.parse(started_at)) / 1000
}

/** The columns of a table of members. */
export function memberColumns({ objective }: Pick<GroupDetail, 'objective'>): Column<GroupMember>[] {
  return [
    { title: '#', cell: ({ index }) => index, right: true },
    { title: 'PARAMETERS', cell: describeParameters },
    { title: 'STATUS', cell: ({ status }) => status },
    ...(objective === null
      ? []
      : [
          {
            title: objective.metric.toUpperCase(),
            cell: (member: GroupMember) => member.objective,
            right: true,
          },
        ]),
    { title: 'SECONDS', cell: runTimeOf, right: true },
    { title: 'JOB', cell: ({ job_id }) => job_id },
  ]
}

/** All members as CSV (RFC 4180): a column for each parameter and each metric. */
export function toCsv(members: readonly GroupMember[], parameters: readonly string[]): string {
  const metrics = [...new Set(members.flatMap((member) => Object.keys(member.metrics)))].toSorted()
  const head = ['index', ...parameters, 'repeat', 'status', ...metrics, 'run_seconds', 'job_id']
  const rows = members.map((member) => [
    member.index,
    ...parameters.map((name) => member.parameters[name]),
    member.repeat,
    member.status,
    ...metrics.map((name) => member.metrics[name]),
    runTimeOf(member),
    member.job_id,
  ])
  return [head, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
}

/** A spreadsheet would calculate a text that begins like a formula. */
function toCell(value: string | number | boolean | null | undefined): string {
  const text = String(value ?? '')
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
