import type { JobDetail } from '@/lib/contract/jobs'
import { cn } from '../../ui/class-names'
import { Duration } from '../../ui/duration'
import { formatSeconds } from '../../ui/format-time'
import { useNowWhile } from '../../ui/use-now'

/** The run time of a job. While it runs, its progress against the predicted or else the expected time. */
export function RunTime({ job, startedAt }: { job: JobDetail; startedAt: string }) {
  const now = useNowWhile(job.completed_at === null)
  const seconds = expectedSeconds(job)
  const duration = <Duration from={startedAt} to={job.completed_at} />
  if (job.completed_at !== null) return duration
  const part = now === null ? 0 : progressOf(now - Date.parse(startedAt), seconds)
  const expected = formatSeconds(seconds)
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 max-sm:gap-x-1.5">
      <span>
        {duration} <span className="text-muted">of about {expected}</span>
      </span>
      <span
        role="progressbar"
        aria-label={`Run time, of the expected ${expected}`}
        aria-valuenow={Math.round(part * 100)}
        className="block h-1.5 w-8 overflow-hidden rounded-full bg-pressed sm:w-20"
      >
        <span
          className={cn('block h-full rounded-full', part < 1 ? 'bg-accent' : 'bg-warning-ink')}
          style={{ width: `${part * 100}%` }}
        />
      </span>
    </div>
  )
}

/** How long the job is likely to run: the prediction, unless that is only the estimate of its config. */
export function expectedSeconds({ expected_time, predicted_time }: JobDetail): number {
  return predicted_time && predicted_time.basis !== 'estimate' ? predicted_time.seconds : expected_time
}

/** The elapsed part of the expected time, at most 1. */
export function progressOf(elapsedMs: number, seconds: number): number {
  return seconds <= 0 ? 1 : Math.min(1, Math.max(0, elapsedMs / 1000 / seconds))
}
