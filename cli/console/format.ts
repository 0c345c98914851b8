import type { QueueJob } from '@/lib/contract/cluster/cluster'
import { formatStartRange, formatTime } from '@/lib/contract/cluster/start-range'
import type { JobSummary } from '@/lib/contract/jobs'
import type { UploadStatus } from '@/lib/contract/status'
import type { Colour } from './terminal'

export const statusColours = {
  pending: 'yellow',
  running: 'cyan',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
} as const satisfies Record<UploadStatus, Colour>

/** Formats a duration with its two largest units. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`
}

/** Formats how long a job has run. Null if it has not started. */
export function formatRunTime(
  { started_at, completed_at }: Pick<JobSummary, 'started_at' | 'completed_at'>,
  now: number,
): string | null {
  if (started_at === null) return null
  const end = completed_at === null ? now : Date.parse(completed_at)
  return formatDuration((end - Date.parse(started_at)) / 1000)
}

/** Formats a time relative to now. */
export function formatWhen(time: string | null, now: number): string | null {
  if (time === null) return null
  const seconds = (Date.parse(time) - now) / 1000
  if (Math.abs(seconds) < 1) return 'now'
  return seconds < 0 ? `${formatDuration(-seconds)} ago` : `in ${formatDuration(seconds)}`
}

/** Formats the expected start of a waiting job: a range, or one time if the range is shorter than a minute. */
export function formatExpectedStart(
  job: Pick<QueueJob, 'expected_start' | 'expected_start_range'>,
  now: number,
): string | null {
  const range = job.expected_start_range && formatStartRange(job.expected_start_range, now)
  return range ?? formatWhen(job.expected_start, now)
}

/** A sentence of the server with its times, such as `2026-11-28T06:58:40.754Z`, in the local time zone. */
export function withLocalTimes(sentence: string, now: number): string {
  return sentence.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?!\w)/g, (time) =>
    formatTime(Date.parse(time), now),
  )
}

/** `1 member`, `2 members`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a share of GPUs without trailing zeros. */
export function formatShare(share: number): string {
  return String(Math.round(share * 1000) / 1000)
}
