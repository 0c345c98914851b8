'use client'

import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, type LucideIcon, Rocket } from 'lucide-react'
import type { ReactNode } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { endReasons } from '@/lib/contract/reasons'
import { Callout } from '../../ui/callout'
import { Duration } from '../../ui/duration'
import type { Tone } from '../../ui/tones'
import { formatSeconds } from './format-seconds'
import { QueuePosition } from './queue-position'

interface Note {
  tone: Tone
  icon: LucideIcon
  text: ReactNode
}

/** The job's status and its reason. Shown in every status, so that nothing below moves. */
export function JobNote({ job }: { job: JobDetail }) {
  const { tone, icon, text } = describeStatus(job)
  return (
    <div aria-live="polite">
      <Callout tone={tone} icon={icon}>
        {text}
        {job.deleted_after_days === null
          ? null
          : ` gpuq deleted the output and files after ${job.deleted_after_days} days, as the project requires.`}
      </Callout>
    </div>
  )
}

function describeStatus(job: JobDetail): Note {
  if (job.cancel_requested) return { tone: 'warning', icon: Ban, text: 'Cancelling the job.' }
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

/** The elapsed time. Screen readers do not announce it every second. */
function ElapsedTime({ from }: { from: string }) {
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
        {reason_text ?? 'In the queue.'} Waiting for <ElapsedTime from={created_at} />
        {attempt > 1 ? `, before attempt ${attempt}` : ''}.
        <QueuePosition id={job_id} />
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
        {started_at ? <ElapsedTime from={started_at} /> : null}. Expected time: {formatSeconds(expected_time)}
        . Time limit: {formatSeconds(max_time)}.
      </>
    ),
  }
}

/** An error of the system has another colour than an error of the program. */
function failed({ reason, reason_text }: JobDetail): Note {
  const known = Object.entries(endReasons).find(([name]) => name === reason)?.[1]
  return {
    tone: known?.fault === 'system' ? 'warning' : 'danger',
    icon: CircleX,
    text: reason_text ?? 'The job failed.',
  }
}
