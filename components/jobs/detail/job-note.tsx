'use client'

import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, type LucideIcon, Rocket } from 'lucide-react'
import type { ReactNode } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { endReasons } from '@/lib/contract/reasons'
import { Callout } from '../../ui/callout'
import { Duration } from '../../ui/duration'
import type { Tone } from '../../ui/tones'
import { formatSeconds } from './format-seconds'
import { QueuePlace } from './queue-place'

interface Note {
  tone: Tone
  icon: LucideIcon
  text: ReactNode
}

/** Where the job is and why, in words. It stands in every status, so that nothing below it moves. */
export function JobNote({ job }: { job: JobDetail }) {
  const { tone, icon, text } = noteOf(job)
  return (
    <div aria-live="polite">
      <Callout tone={tone} icon={icon}>
        {text}
        {job.deleted_after_days === null
          ? null
          : ` Its output and files were deleted after ${job.deleted_after_days} days, by the retention of its project.`}
      </Callout>
    </div>
  )
}

function noteOf(job: JobDetail): Note {
  if (job.cancel_requested) return { tone: 'warning', icon: Ban, text: 'The job is being cancelled.' }
  switch (job.status) {
    case 'pending':
      return job.placed ? starting(job) : waiting(job)
    case 'running':
      return running(job)
    case 'completed':
      return { tone: 'success', icon: CircleCheck, text: job.reason_text ?? 'The program ended.' }
    case 'failed':
      return failed(job)
    case 'cancelled':
      return { tone: 'neutral', icon: Ban, text: job.reason_text ?? 'The job was cancelled.' }
    default:
      return job.status satisfies never
  }
}

/** A running count, which a screen reader need not say every second. */
function Ticking({ from }: { from: string }) {
  return (
    <span aria-live="off">
      <Duration from={from} />
    </span>
  )
}

function waiting({ job_id, reason_text, created_at, attempt }: JobDetail): Note {
  return {
    tone: 'neutral',
    icon: CircleDashed,
    text: (
      <>
        {reason_text ?? 'In the queue.'} Waiting for <Ticking from={created_at} />
        {attempt > 1 ? `, before attempt ${attempt}` : ''}.
        <QueuePlace id={job_id} />
      </>
    ),
  }
}

function starting({ node_name }: JobDetail): Note {
  return { tone: 'info', icon: Rocket, text: `Starting${node_name ? ` on ${node_name}` : ''}.` }
}

function running({ started_at, expected_time, max_time }: JobDetail): Note {
  return {
    tone: 'info',
    icon: LoaderCircle,
    text: (
      <>
        Running{started_at ? ' for ' : ''}
        {started_at ? <Ticking from={started_at} /> : null}, of about {formatSeconds(expected_time)} expected.
        It would be stopped at {formatSeconds(max_time)}.
      </>
    ),
  }
}

/** The system's fault does not look like the program's. */
function failed({ reason, reason_text }: JobDetail): Note {
  const known = Object.entries(endReasons).find(([name]) => name === reason)?.[1]
  return {
    tone: known?.fault === 'system' ? 'warning' : 'danger',
    icon: CircleX,
    text: reason_text ?? 'The job failed.',
  }
}
