'use client'

import { memo, useState } from 'react'
import type { QueueJob } from '@/lib/contract/cluster'
import { Duration } from '../../ui/duration'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../../ui/table'
import { describeWait } from '../describe-wait'
import { formatQueuedNeed } from '../format-amounts'
import { ExpectedStart } from './expected-start'
import { JobCell } from './job-cell'
import { PriorityDialog } from './priority-dialog'
import { QueueActions } from './queue-actions'

interface QueueTableProps {
  jobs: readonly QueueJob[]
  handle: string
  admin: boolean
}

/** The queue. Fixed column widths keep the table still when jobs change. */
export function WaitingTable({ jobs, handle, admin }: QueueTableProps) {
  const [edited, setEdited] = useState<QueueJob | null>(null)
  return (
    <>
      <Table caption="Waiting jobs" className="table-fixed">
        <TableHead>
          <HeaderCell align="end" className="w-12">
            <abbr title="Position in the queue" className="no-underline">
              #
            </abbr>
          </HeaderCell>
          <HeaderCell className="w-[18%]">Job</HeaderCell>
          <HeaderCell className="w-[14%]">Requests</HeaderCell>
          <HeaderCell align="end" className="w-17">
            Priority
          </HeaderCell>
          <HeaderCell align="end" className="w-26">
            Wait time
          </HeaderCell>
          <HeaderCell className="w-28">Expected start</HeaderCell>
          <HeaderCell>Reason</HeaderCell>
          <HeaderCell hidden className="w-12">
            Actions
          </HeaderCell>
        </TableHead>
        <TableBody>
          {jobs.map((job, index) => (
            <WaitingRow
              key={job.job_id ?? `${job.submitted_at}/${index}`}
              job={job}
              position={job.position ?? index + 1}
              editable={job.job_id !== null && (admin || job.user === handle)}
              onPriority={setEdited}
            />
          ))}
        </TableBody>
      </Table>
      {edited ? <PriorityDialog job={edited} onClose={() => setEdited(null)} /> : null}
    </>
  )
}

interface WaitingRowProps {
  job: QueueJob
  position: number
  editable: boolean
  onPriority: (job: QueueJob) => void
}

const WaitingRow = memo(function WaitingRow({ job, position, editable, onPriority }: WaitingRowProps) {
  return (
    <TableRow>
      <Cell label="Position" align="end" className="text-muted">
        {position}
      </Cell>
      <Cell className="@max-2xl:order-first">
        <JobCell job={job} />
      </Cell>
      <Cell label="Requests" className="text-muted">
        {formatQueuedNeed(job)}
      </Cell>
      <Cell label="Priority" align="end" className="text-muted">
        {job.priority}
      </Cell>
      <Cell label="Wait time" align="end" className="text-muted">
        <Duration from={job.submitted_at} />
      </Cell>
      <Cell label="Expected start">
        <ExpectedStart at={job.expected_start} />
      </Cell>
      <Cell label="Reason" className="text-muted text-xs">
        <span className="@max-2xl:text-right">{describeWait(job.reason, job.reason_detail)}</span>
      </Cell>
      <Cell align="end" className={editable ? '' : '@max-2xl:hidden'}>
        {editable ? <QueueActions job={job} onPriority={onPriority} /> : null}
      </Cell>
    </TableRow>
  )
})
