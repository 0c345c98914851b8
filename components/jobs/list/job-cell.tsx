import type { ReactNode } from 'react'
import { type ColumnName, type ComposedColumn, plainValue } from '@/lib/contract/job-columns'
import type { JobSummary } from '@/lib/contract/jobs'
import { formatPerson } from '../../shell/person'
import { cn } from '../../ui/class-names'
import { Duration } from '../../ui/duration'
import { RelativeTime } from '../../ui/relative-time'
import { JobStatus } from '../job-status'
import { TagBadges } from '../labels/job-labels'
import { shortReason } from '../short-reason'

/** A value that the job does not have. */
const none = '–'

interface JobCellProps {
  job: JobSummary
  column: ColumnName
  /** The row has one line. */
  compact: boolean
}

/** The content of a job's cell. */
export function JobCell({ job, column, compact }: JobCellProps) {
  if (isComposed(column)) return cells[column](job, compact)
  const value = plainValue(column, job) ?? none
  return typeof value === 'number' ? formatMetric(value) : <Text>{value}</Text>
}

/** A number that shows what differs between jobs, in little space. */
export function formatMetric(value: number | undefined): string {
  if (value === undefined) return none
  return Number.isInteger(value) && Math.abs(value) < 1e9
    ? String(value)
    : String(Number(value.toPrecision(5)))
}

/** Whether a job has the value of a column. The narrow list leaves out the others. */
export function hasValue(job: JobSummary, column: ColumnName): boolean {
  if (!isComposed(column)) return plainValue(column, job) !== null
  if (column === 'tags') return job.tags.length > 0
  if (column === 'run_time') return job.started_at !== null
  return column !== 'gpu_hours' || gpuHours(job) !== none
}

const hourMs = 3_600_000

/** Requested GPUs times the run time of an ended job. */
export function gpuHours({ requested_gpus, started_at, completed_at }: JobSummary): string {
  if (!started_at || !completed_at) return none
  const hours = (requested_gpus * (Date.parse(completed_at) - Date.parse(started_at))) / hourMs
  return hours === 0 ? '0' : hours < 0.005 ? '<0.01' : hours.toFixed(2)
}

function Text({ children }: { children: string }) {
  return (
    <span className="block min-w-0 truncate" title={children}>
      {children}
    </span>
  )
}

/** The reason stands below the status if it does not fit beside it. */
function Status({ job, compact }: Omit<JobCellProps, 'column'>) {
  const reason = shortReason(job)
  return (
    <span className={cn('flex min-w-0 items-center gap-x-2', !compact && 'flex-wrap')}>
      <JobStatus state={job.status} variant="plain" />
      {reason ? (
        <span className="min-w-0 truncate text-subtle text-xs" title={reason}>
          {reason}
        </span>
      ) : null}
    </span>
  )
}

/** The columns that are more than a field of the job. */
const cells: Record<ComposedColumn, (job: JobSummary, compact: boolean) => ReactNode> = {
  status: (job, compact) => <Status job={job} compact={compact} />,
  user: ({ user_id, user_name }) => <Text>{formatPerson(user_id, user_name)}</Text>,
  tags: ({ tags }) =>
    tags.length > 0 ? (
      <span className="flex min-w-0 items-center gap-1">
        <TagBadges tags={tags} />
      </span>
    ) : (
      none
    ),
  wait: ({ created_at, started_at, completed_at }) => {
    // A job that ended without a start waited until its end.
    const until = started_at ?? completed_at
    return <Duration from={created_at} to={until} />
  },
  run_time: ({ started_at, completed_at }) =>
    started_at ? <Duration from={started_at} to={completed_at} /> : none,
  gpu_hours: gpuHours,
  submitted: ({ created_at }) => <RelativeTime at={created_at} className="whitespace-nowrap" />,
}

function isComposed(column: ColumnName): column is ComposedColumn {
  return Object.hasOwn(cells, column)
}
