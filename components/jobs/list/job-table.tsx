import { memo } from 'react'
import type { JobSummary } from '@/lib/contract/jobs'
import { formatPerson } from '../../shell/person'
import { cn } from '../../ui/class-names'
import { Duration } from '../../ui/duration'
import { RelativeTime } from '../../ui/relative-time'
import { Cell, HeaderCell, RowLink, Table, TableBody, TableHead, TableRow } from '../../ui/table'
import { JobStatus } from '../job-status'
import { jobTitle } from '../job-title'
import { JobLabels } from '../labels/job-labels'
import { shortReason } from '../short-reason'

/**
 * A page of jobs. Fixed column widths keep the table still when a status changes. With the users of all jobs, competition
 * and project stand below the title of the job, because two more columns would be too narrow to read.
 */
export function JobTable({ jobs, everyone }: { jobs: readonly JobSummary[]; everyone: boolean }) {
  return (
    <Table caption="Jobs" className="table-fixed">
      <TableHead>
        <HeaderCell className={everyone ? '' : 'w-[28%]'}>Job</HeaderCell>
        <HeaderCell className="w-50">Status</HeaderCell>
        {everyone ? (
          <HeaderCell className="w-44">User</HeaderCell>
        ) : (
          <>
            <HeaderCell>Competition</HeaderCell>
            <HeaderCell>Project</HeaderCell>
          </>
        )}
        <HeaderCell className="w-28">Node</HeaderCell>
        <HeaderCell align="end" className="w-28">
          Run time
        </HeaderCell>
        <HeaderCell align="end" className="w-28">
          Submitted
        </HeaderCell>
      </TableHead>
      <TableBody>
        {jobs.map((job) => (
          <JobRow key={job.job_id} job={job} everyone={everyone} />
        ))}
      </TableBody>
    </Table>
  )
}

const wideOnly = '@max-2xl:hidden'

/** Renders only if its job changed: the list refreshes every few seconds. */
const JobRow = memo(function JobRow({ job, everyone }: { job: JobSummary; everyone: boolean }) {
  const reason = shortReason(job)
  return (
    <TableRow>
      <Cell>
        <span className="flex min-w-0 flex-col">
          <span className="flex min-w-0 items-center gap-1.5">
            <span className="min-w-0 truncate">
              <RowLink href={`/jobs/${job.job_id}`} className={job.name ? '' : 'font-mono'}>
                {jobTitle(job)}
              </RowLink>
            </span>
            <JobLabels job={job} />
          </span>
          <span className={cn('truncate text-subtle text-xs', everyone ? '' : 'hidden @max-2xl:block')}>
            {job.competition_id} · {job.project_id}
          </span>
        </span>
      </Cell>
      <Cell label="Status">
        <span className="flex min-w-0 items-center gap-2">
          <JobStatus state={job.status} variant="plain" />
          {reason ? <span className="min-w-0 truncate text-subtle text-xs">{reason}</span> : null}
        </span>
      </Cell>
      {everyone ? (
        <TextCell label="User">{formatPerson(job.user_id, job.user_name)}</TextCell>
      ) : (
        <>
          <TextCell label="Competition" className={wideOnly}>
            {job.competition_id}
          </TextCell>
          <TextCell label="Project" className={wideOnly}>
            {job.project_id}
          </TextCell>
        </>
      )}
      <TextCell label="Node" className={wideOnly}>
        {job.node_name ?? '–'}
      </TextCell>
      <Cell label="Run time" align="end" className="text-muted">
        {job.started_at ? <Duration from={job.started_at} to={job.completed_at} /> : '–'}
      </Cell>
      <Cell label="Submitted" align="end" className="text-muted">
        <RelativeTime at={job.created_at} className="whitespace-nowrap" />
      </Cell>
    </TableRow>
  )
})

interface TextCellProps {
  label: string
  className?: string
  children: string
}

function TextCell({ label, className, children }: TextCellProps) {
  return (
    <Cell label={label} className={cn('text-muted', className)}>
      <span className="block min-w-0 truncate" title={children}>
        {children}
      </span>
    </Cell>
  )
}
