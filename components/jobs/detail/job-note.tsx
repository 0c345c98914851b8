import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { queueJobQuery } from '@/components/queries/cluster'
import { jobDiagnosisQuery } from '@/components/queries/job-diagnosis'
import type { JobDetail } from '@/lib/contract/jobs'
import { endNote, isStuck } from '@/lib/contract/reasons'
import { ExpectedStart } from '../../cluster/queue/expected-start'
import { Button } from '../../ui/button'
import { Link } from '../../ui/link'
import { RelativeTime } from '../../ui/relative-time'
import { describeNearest, type Nearest } from '../describe-nearest'
import { hasSource } from '../has-source'
import { jobStateOf } from '../job-status'
import { useReplaceJob } from '../run-again'
import { TextWithCode } from '../text-with-code'

interface JobNoteProps {
  job: JobDetail
  /** Whether the reader may submit it again. */
  own: boolean
}

/** What the facts of a job do not say: why it waits and until when, who cancelled it, and whether its files are deleted. */
export function JobNote({ job, own }: JobNoteProps) {
  return (
    <p className="mt-2 wrap-anywhere border-t pt-2 text-ink text-sm empty:hidden">
      {describeState(job, own)}
      {describeDeletion(job)}
    </p>
  )
}

function describeState(job: JobDetail, own: boolean): ReactNode {
  const state = jobStateOf(job)
  // Its group decides when it continues, so it has no place in the queue.
  if (state === 'paused') return withCode(job.reason_text)
  if (state === 'pending') return <Waiting job={job} own={own} />
  // Why it does not make progress.
  if (state === 'running') return withCode(job.reason_text)
  // A failure has a card of its own. The status says everything about the other states.
  const unusual = state === 'cancelled' || (state === 'completed' && job.reason !== 'finished')
  return withCode(unusual ? job.reason_text : state === 'completed' ? endNote(job) : null)
}

const withCode = (text: string | null) => (text === null ? null : <TextWithCode text={text} />)

function describeDeletion({ files_deleted, deleted_after_days: days }: JobDetail): string | null {
  if (files_deleted === null) return null
  return files_deleted === 'on_request'
    ? ' Its output, files and source were deleted on request.'
    : ` Its output and files were deleted after ${days} days, as the project requires.`
}

function Waiting({ job, own }: JobNoteProps) {
  const stuck = isStuck(job)
  const { data } = useQuery({ ...jobDiagnosisQuery(job), enabled: stuck || job.slurm !== null })
  const nearest = data?.nearest ?? null
  return (
    <>
      <TextWithCode text={job.reason_text ?? 'In the queue.'} />
      {job.attempt > 1 ? ` Waiting for attempt ${job.attempt}.` : ''}
      {/* Such a job has a place in the queue, but it never comes to it. */}
      {stuck || nearest ? null : <QueuePosition job={job} />}
      {nearest && own && hasSource(job) ? <UseNearest id={job.job_id} nearest={nearest} /> : null}
      {job.never_fits_ends_at === null ? null : (
        <>
          {' '}
          It leaves the queue <RelativeTime at={job.never_fits_ends_at} />, unless a node that is large enough
          is added before.
        </>
      )}
    </>
  )
}

/** Replaces the job by one that fits. */
function UseNearest({ id, nearest }: { id: string; nearest: Nearest }) {
  const replace = useReplaceJob()
  const [working, setWorking] = useState(false)
  const use = async () => {
    setWorking(true)
    await replace(id, nearest)
    setWorking(false)
  }
  return (
    <Button
      size="sm"
      loading={working}
      onClick={use}
      className="mx-2 align-baseline"
      title="Submits the job with this change, and cancels this one"
    >
      Use {describeNearest(nearest)}
    </Button>
  )
}

/** The queue position of a waiting job and its expected start. */
function QueuePosition({ job: { job_id, slurm } }: { job: JobDetail }) {
  const { data: job } = useQuery(queueJobQuery(job_id))
  if (!job || job.position === null) return null
  return (
    <>
      {' '}
      <Link href="/cluster">Position {job.position} in the queue</Link>
      {job.expected_start === null ? (
        '. When it starts is not known yet.'
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
