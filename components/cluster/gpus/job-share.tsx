import type { ClusterGpu } from '@/lib/contract/cluster/cluster'
import { shortId } from '../../jobs/job-title'
import { formatPerson } from '../../shell/person'
import { cn } from '../../ui/class-names'
import { Link } from '../../ui/link'
import { formatShare } from '../format-amounts'

type GpuJob = ClusterGpu['jobs'][number]

/** The name or id of a job. Other users' jobs have neither. */
function gpuJobTitle({ job_id, name }: GpuJob): string {
  return name ?? (job_id === null ? 'another user’s job' : shortId(job_id))
}

/** A job on a GPU in one line: title, user and share of the GPU. */
export function JobShare({ job, className }: { job: GpuJob; className?: string }) {
  const title = gpuJobTitle(job)
  const person = job.user_id === null ? undefined : formatPerson(job.user_id, job.user_name)
  return (
    <span className={cn('flex min-w-0 items-baseline gap-1', className)}>
      {job.job_id === null ? (
        <span className="min-w-0 truncate text-muted">{title}</span>
      ) : (
        <Link
          variant="quiet"
          href={`/jobs/${job.job_id}`}
          title={title}
          className={cn('relative min-w-0 truncate text-ink', job.name === null && 'font-mono')}
        >
          {title}
        </Link>
      )}
      {job.user_id === null ? null : (
        <span className="max-w-1/2 shrink-0 truncate text-subtle" title={person}>
          {person}
        </span>
      )}
      {job.share < 1 ? (
        <span className="ml-auto shrink-0 pl-1 text-muted tabular-nums">{formatShare(job.share)}</span>
      ) : null}
    </span>
  )
}
