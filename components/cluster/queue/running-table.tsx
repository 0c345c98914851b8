'use client'

import { memo } from 'react'
import type { QueueJob } from '@/lib/contract/cluster'
import { formatSeconds } from '../../jobs/detail/format-seconds'
import { Duration } from '../../ui/duration'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../../ui/table'
import { formatQueuedNeed } from '../format-amounts'
import { JobCell } from './job-cell'
import { QueueActions } from './queue-actions'

interface RunningTableProps {
  jobs: readonly QueueJob[]
  handle: string
  admin: boolean
}

/** Running and starting jobs. */
export function RunningTable({ jobs, handle, admin }: RunningTableProps) {
  return (
    <Table caption="Running jobs" className="table-fixed">
      <TableHead>
        <HeaderCell className="w-[26%]">Job</HeaderCell>
        <HeaderCell className="w-[20%]">Resources</HeaderCell>
        <HeaderCell>Placement</HeaderCell>
        <HeaderCell align="end" className="w-28">
          Running for
        </HeaderCell>
        <HeaderCell align="end" className="w-28">
          Expected
        </HeaderCell>
        <HeaderCell hidden className="w-12">
          Actions
        </HeaderCell>
      </TableHead>
      <TableBody>
        {jobs.map((job, index) => (
          <RunningRow
            key={job.job_id ?? `${job.submitted_at}/${index}`}
            job={job}
            editable={job.job_id !== null && (admin || job.user === handle)}
          />
        ))}
      </TableBody>
    </Table>
  )
}

const RunningRow = memo(function RunningRow({ job, editable }: { job: QueueJob; editable: boolean }) {
  return (
    <TableRow>
      <Cell>
        <JobCell job={job} />
      </Cell>
      <Cell label="Resources" className="text-muted">
        {formatQueuedNeed(job)}
      </Cell>
      <Cell label="Placement" className="text-muted">
        <span className="min-w-0 truncate">{formatPlacement(job)}</span>
      </Cell>
      <Cell label="Running for" align="end" className="text-muted">
        {job.started_at ? <Duration from={job.started_at} /> : 'starting'}
      </Cell>
      <Cell label="Expected" align="end" className="text-muted">
        {formatSeconds(job.estimated_duration_seconds)}
      </Cell>
      <Cell align="end">{editable ? <QueueActions job={job} /> : null}</Cell>
    </TableRow>
  )
})

function formatPlacement({ node, gpus }: QueueJob): string {
  if (node === null) return '–'
  return gpus.length === 0 ? node : `${node}, GPU ${gpus.join(', ')}`
}
