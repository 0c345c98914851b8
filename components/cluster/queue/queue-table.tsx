import { useMemo } from 'react'
import type { QueueJob } from '@/lib/contract/cluster/cluster'
import { Duration } from '../../ui/duration'
import { formatSeconds } from '../../ui/format-time'
import { type Column, DataTable } from '../../ui/table'
import { describeWait } from '../describe-wait'
import { formatQueuedNeed } from '../format-amounts'
import { ExpectedStart } from './expected-start'
import { JobCell } from './job-cell'
import { QueueActions } from './queue-actions'

const muted = { className: 'text-muted' }
const mutedEnd = { ...muted, align: 'end' } as const

/** Fixed column widths keep a table still when jobs change. */
const columns = {
  waiting: [
    {
      label: 'Position',
      heading: (
        <abbr title="Position in the queue" className="no-underline">
          #
        </abbr>
      ),
      width: 'w-12',
      ...mutedEnd,
      cell: (job) => job.position ?? '–',
    },
    {
      label: 'Job',
      kind: 'title',
      width: 'w-[18%]',
      className: '@max-2xl:order-first',
      cell: (job) => <JobCell job={job} />,
    },
    { label: 'Requests', width: 'w-[14%]', ...muted, cell: formatQueuedNeed },
    { label: 'Priority', width: 'w-22', ...mutedEnd, cell: (job) => <Priority job={job} /> },
    { label: 'Wait time', width: 'w-26', ...mutedEnd, cell: (job) => <Duration from={job.submitted_at} /> },
    {
      label: 'Expected start',
      width: 'w-28',
      cell: (job) => <ExpectedStart at={job.expected_start} range={job.expected_start_range} />,
    },
    {
      label: 'Reason',
      className: 'text-muted text-xs',
      cell: (job) => (
        <span className="@max-2xl:text-right">{describeWait(job.reason, job.reason_detail)}</span>
      ),
    },
  ],
  running: [
    { label: 'Job', kind: 'title', width: 'w-[26%]', cell: (job) => <JobCell job={job} /> },
    { label: 'Resources', width: 'w-[20%]', ...muted, cell: formatQueuedNeed },
    {
      label: 'Placement',
      ...muted,
      cell: (job) => <span className="min-w-0 truncate">{formatPlacement(job)}</span>,
    },
    {
      label: 'Running for',
      width: 'w-28',
      ...mutedEnd,
      cell: (job) => (job.started_at ? <Duration from={job.started_at} /> : 'starting'),
    },
    {
      label: 'Expected',
      width: 'w-28',
      ...mutedEnd,
      cell: (job) => formatSeconds(job.estimated_duration_seconds),
    },
  ],
} satisfies Record<string, Column<QueueJob>[]>

export type QueuePart = keyof typeof columns

interface QueueTableProps {
  shown: QueuePart
  jobs: readonly QueueJob[]
  handle: string
  admin: boolean
}

/** The waiting or the running jobs. */
export function QueueTable({ shown, jobs, handle, admin }: QueueTableProps) {
  const all = useMemo<Column<QueueJob>[]>(() => {
    const editable = (job: QueueJob) => job.job_id !== null && (admin || job.user === handle)
    const actions = (job: QueueJob) => (editable(job) ? <QueueActions job={job} /> : null)
    return [...columns[shown], { label: 'Actions', kind: 'actions', width: 'w-12', cell: actions }]
  }, [shown, handle, admin])
  return (
    <DataTable
      caption={shown === 'waiting' ? 'Waiting jobs' : 'Running jobs'}
      className="table-fixed"
      columns={all}
      items={jobs}
      keyOf={(job, index) => job.job_id ?? `${job.submitted_at}/${index}`}
    />
  )
}

/** The priority, and for a line of a jobs file what its user typed. */
function Priority({ job: { priority, line_priority } }: { job: QueueJob }) {
  if (line_priority === null || line_priority === priority) return priority
  return (
    <span title="A higher number starts first. A jobs file and gpuq add count the other way: there, a lower number starts first.">
      {priority}
      <span className="block text-xs">typed {line_priority}</span>
    </span>
  )
}

function formatPlacement({ node, gpus }: QueueJob): string {
  if (node === null) return '–'
  return gpus.length === 0 ? node : `${node}, GPU ${gpus.join(', ')}`
}
