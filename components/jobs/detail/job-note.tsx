import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queueJobQuery } from '@/components/queries/cluster'
import type { JobDetail } from '@/lib/contract/jobs'
import { endReasons } from '@/lib/contract/reasons'
import { ExpectedStart } from '../../cluster/queue/expected-start'
import { Callout } from '../../ui/callout'
import { Duration } from '../../ui/duration'
import { formatSeconds } from '../../ui/format-time'
import { Link } from '../../ui/link'
import { type JobState, jobStateOf, stateStyles } from '../job-status'

/** The job's status and its reason. Shown in every status, so that nothing below moves. */
export function JobNote({ job }: { job: JobDetail }) {
  const state = jobStateOf(job)
  const { tone, icon } = stateStyles[state]
  return (
    <div aria-live="polite">
      <Callout tone={failedBySystem(job) ? 'warning' : tone} icon={icon}>
        {describeState(state, job)}
        {describeDeletion(job)}
      </Callout>
    </div>
  )
}

function describeDeletion({ files_deleted, deleted_after_days: days }: JobDetail): string | null {
  if (files_deleted === null) return null
  return files_deleted === 'on_request'
    ? ' Its output, files and source were deleted on request.'
    : ` gpuq deleted the output and files after ${days} days, as the project requires.`
}

/** An error of the system has another colour than an error of the program. */
function failedBySystem({ status, reason }: JobDetail): boolean {
  const known = Object.entries(endReasons).find(([name]) => name === reason)?.[1]
  return status === 'failed' && known?.fault === 'system'
}

function describeState(state: JobState, job: JobDetail): ReactNode {
  switch (state) {
    case 'cancelling':
      return 'Cancelling the job.'
    case 'pending':
      return <Waiting job={job} />
    case 'starting':
      return `Starting${job.node_name ? ` on ${job.node_name}` : ''}.`
    case 'running':
      return <Running job={job} />
    case 'completed':
      return job.reason_text ?? 'The program ended.'
    case 'failed':
      return job.reason_text ?? 'The job failed.'
    case 'cancelled':
      return job.reason_text ?? 'The job was cancelled.'
    default:
      return state satisfies never
  }
}

function Waiting({ job }: { job: JobDetail }) {
  return (
    <>
      {job.reason_text ?? 'In the queue.'} Waiting for <ElapsedTime from={job.created_at} />
      {job.attempt > 1 ? `, before attempt ${job.attempt}` : ''}.
      <QueuePosition job={job} />
    </>
  )
}

function Running({ job: { started_at, expected_time, predicted_time, max_time } }: { job: JobDetail }) {
  return (
    <>
      Running{started_at ? ' for ' : ''}
      {started_at ? <ElapsedTime from={started_at} /> : null}. Expected time: {formatSeconds(expected_time)}
      {predicted_time && predicted_time.basis !== 'estimate'
        ? `, predicted: ${formatSeconds(predicted_time.seconds)}`
        : ''}
      . Time limit: {formatSeconds(max_time)}.
    </>
  )
}

/** The elapsed time. Screen readers do not announce it every second. */
function ElapsedTime({ from }: { from: string }) {
  return (
    <span aria-live="off">
      <Duration from={from} />
    </span>
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
