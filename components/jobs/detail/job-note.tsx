import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queueJobQuery } from '@/components/queries/cluster'
import type { JobDetail } from '@/lib/contract/jobs'
import { endNote } from '@/lib/contract/reasons'
import { ExpectedStart } from '../../cluster/queue/expected-start'
import { Link } from '../../ui/link'
import { RelativeTime } from '../../ui/relative-time'
import { jobStateOf } from '../job-status'

/** What the facts of a job do not say: why it waits and until when, who cancelled it, and whether its files are deleted. */
export function JobNote({ job }: { job: JobDetail }) {
  return (
    <p className="mt-2 wrap-anywhere border-t pt-2 text-ink text-sm empty:hidden">
      {describeState(job)}
      {describeDeletion(job)}
    </p>
  )
}

function describeState(job: JobDetail): ReactNode {
  const state = jobStateOf(job)
  if (state === 'pending') return <Waiting job={job} />
  // Why it does not make progress.
  if (state === 'running') return job.reason_text
  // A failure has a card of its own. The status says everything about the other states.
  const unusual = state === 'cancelled' || (state === 'completed' && job.reason !== 'finished')
  return unusual ? job.reason_text : state === 'completed' ? endNote(job) : null
}

function describeDeletion({ files_deleted, deleted_after_days: days }: JobDetail): string | null {
  if (files_deleted === null) return null
  return files_deleted === 'on_request'
    ? ' Its output, files and source were deleted on request.'
    : ` gpuq deleted the output and files after ${days} days, as the project requires.`
}

function Waiting({ job }: { job: JobDetail }) {
  // Such a job has a place in the queue, but it never comes to it.
  const cannotStart = job.reason === 'never_fits'
  return (
    <>
      {cannotStart ? 'This job cannot start. ' : ''}
      {job.reason_text ?? 'In the queue.'}
      {job.attempt > 1 ? ` Waiting for attempt ${job.attempt}.` : ''}
      {cannotStart ? ' Cancel it, and submit it again with less.' : <QueuePosition job={job} />}
      {job.never_fits_ends_at === null ? null : (
        <>
          {' '}
          gpuq removes it from the queue <RelativeTime at={job.never_fits_ends_at} /> unless a large enough
          node is added before.
        </>
      )}
    </>
  )
}

/** The queue position of a waiting job and its expected start. */
function QueuePosition({ job: { job_id, slurm } }: { job: JobDetail }) {
  const { data: job } = useQuery(queueJobQuery(job_id))
  if (!job || job.position === null) return null
  const predictor = slurm === null ? 'gpuq' : 'Slurm'
  return (
    <>
      {' '}
      <Link href="/cluster">Position {job.position} in the queue</Link>
      {job.expected_start === null ? (
        `. ${predictor} cannot predict when it starts.`
      ) : (
        <>
          , {slurm === null ? 'expected' : 'expected by Slurm'} to start{' '}
          <span aria-live="off">
            <ExpectedStart at={job.expected_start} range={job.expected_start_range} />
          </span>
          .{job.expected_start_text ? ` ${job.expected_start_text}` : ''}
        </>
      )}
    </>
  )
}
