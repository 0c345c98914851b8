import { invalidRequest } from '@/lib/contract/errors'
import {
  type ColumnName,
  type ComposedColumn,
  isColumn,
  isNumeric,
  jobColumnNames,
  metricOf,
  plainValue,
} from '@/lib/contract/job-columns'
import type { JobSummary } from '@/lib/contract/jobs'
import { formatDuration, formatRunTime, formatWhen, statusColours } from '../console/format'
import type { Column } from '../console/table'

type Cell = Omit<Column<JobSummary>, 'title' | 'right' | 'long'>

/** Columns of the terminal only: pages have the name or id as the title of a job, and the reason below its status. */
const ownCells: Record<'id' | 'name' | 'reason', Cell> = {
  id: { cell: (job) => job.job_id },
  name: { cell: (job) => job.name ?? job.competition_id },
  reason: { cell: (job) => job.reason },
}

const secondsBetween = (from: string, to: string | null, now: number) =>
  ((to === null ? now : Date.parse(to)) - Date.parse(from)) / 1000

/** The columns that are more than a field of the job. */
const composedCells = (now: number): Record<ComposedColumn, Cell> => ({
  status: { cell: (job) => job.status, colour: (job) => statusColours[job.status] },
  user: { cell: (job) => job.user_id },
  tags: { cell: ({ tags }) => tags.join(',') || null },
  // A job that ended without a start waited until its end.
  wait: {
    cell: ({ created_at, started_at, completed_at }) =>
      formatDuration(secondsBetween(created_at, started_at ?? completed_at, now)),
  },
  run_time: { cell: (job) => formatRunTime(job, now) },
  gpu_hours: {
    cell: ({ requested_gpus, started_at, completed_at }) =>
      started_at && completed_at
        ? ((requested_gpus * secondsBetween(started_at, completed_at, now)) / 3600).toFixed(2)
        : null,
  },
  submitted: { cell: (job) => formatWhen(job.created_at, now) },
})

/** The columns of `gpuq jobs` without `--columns`. */
const defaultColumns = 'id,status,reason,user,project,name,run_time,submitted'
/** The names that `--columns` takes. */
const terminalColumns = [...Object.keys(ownCells), ...jobColumnNames]

/** The columns of a list of jobs in the terminal, in the order of their names. @throws for a name that no column has. */
export function toColumns(names = defaultColumns, now = Date.now()): Column<JobSummary>[] {
  const composed = composedCells(now)
  const cells: Readonly<Record<string, Cell>> = { ...ownCells, ...composed }
  return names.split(',').map((given) => {
    const name = given.trim()
    if (!isColumn(name) && !Object.hasOwn(ownCells, name))
      throw invalidRequest(
        `--columns has "${name}", which is no column. Use ${terminalColumns.join(', ')} or metric.NAME, with commas between them.`,
      )
    const plain = name as Exclude<ColumnName, ComposedColumn>
    const cell = cells[name] ?? { cell: (job) => plainValue(plain, job) }
    const title = metricOf(name) === null ? name.toUpperCase() : name
    const right = isColumn(name) && isNumeric(name)
    return { ...cell, title, right, long: !right && name !== 'id' && name !== 'status' }
  })
}
