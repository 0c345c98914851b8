import type { QueueJob } from '@/lib/contract/cluster/cluster'
import { shortId } from '../../jobs/job-title'
import { formatPerson } from '../../shell/person'
import { RowLink } from '../../ui/table'

/** The title of a job in the queue. */
export function queueJobTitle({ job_id, name, run_id }: QueueJob): string {
  return name ?? run_id ?? (job_id === null ? 'Another user’s job' : shortId(job_id))
}

/** A job's title and user. Researchers see no details of other users' jobs. */
export function JobCell({ job }: { job: QueueJob }) {
  const title = queueJobTitle(job)
  if (job.job_id === null) return <span className="truncate text-muted">{title}</span>
  const unnamed = job.name === null && job.run_id === null
  return (
    <span className="flex min-w-0 flex-col">
      <span className="truncate" title={title}>
        <RowLink href={`/jobs/${job.job_id}`} className={unnamed ? 'font-mono' : ''}>
          {title}
        </RowLink>
      </span>
      <span className="truncate text-subtle text-xs">
        {job.user === null ? null : formatPerson(job.user, job.user_name)}
        {job.project_id ? ` · ${job.project_id}` : ''}
      </span>
    </span>
  )
}
