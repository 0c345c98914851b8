import { Eye, EyeOff, X } from 'lucide-react'
import { useRouter, useSearchParams } from 'next/navigation'
import { updateSearchParams } from '@/components/shell/update-search-params'
import { Duration } from '@/components/ui/duration'
import { IconButton } from '@/components/ui/icon-button'
import { Link } from '@/components/ui/link'
import { Panel } from '@/components/ui/panel'
import { RelativeTime } from '@/components/ui/relative-time'
import type { JobDetail } from '@/lib/contract/jobs'
import { JobStatus, jobStateOf } from '../job-status'
import { LineSample } from '../metrics/line-sample'
import type { MetricsJob } from '../metrics/metrics-view'
import { comparePath, withHidden } from './compare-path'

/** The jobs of a comparison, with their colours. */
export function ComparedJobs({
  details,
  jobs,
  hidden,
}: {
  details: readonly JobDetail[]
  jobs: readonly MetricsJob[]
  /** The ids of the jobs that the charts leave out. */
  hidden: readonly string[]
}) {
  const router = useRouter()
  const address = useSearchParams()
  const ids = jobs.map(({ id }) => id)
  const toggle = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((own) => own !== id) : [...hidden, id]
    updateSearchParams(withHidden(new URLSearchParams(address), next), 'replace')
  }
  return (
    <Panel>
      <ul aria-label="Compared jobs" className="divide-y">
        {details.map((job, index) => (
          <li
            key={job.job_id}
            className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5 text-sm"
          >
            <span className="flex min-w-0 flex-1 basis-40 items-center gap-2 max-sm:basis-[calc(100%-5.5rem)]">
              <LineSample index={index} />
              <Link href={`/jobs/${job.job_id}`} className="min-w-0 truncate">
                {jobs[index]?.label}
              </Link>
            </span>
            <span className="max-sm:order-last max-sm:pl-6.5">
              <JobStatus state={jobStateOf(job)} variant="plain" />
            </span>
            <span className="w-24 max-sm:order-last text-muted tabular-nums">
              {job.started_at === null ? '–' : <Duration from={job.started_at} to={job.completed_at} />}
            </span>
            <span className="w-32 text-subtle text-xs max-sm:hidden">
              <RelativeTime at={job.created_at} />
            </span>
            <span className="flex items-center gap-1">
              {jobs.length > 1 ? (
                <IconButton
                  icon={hidden.includes(job.job_id) ? EyeOff : Eye}
                  size="sm"
                  label={`Hide ${jobs[index]?.label} in the charts`}
                  pressed={hidden.includes(job.job_id)}
                  onClick={() => toggle(job.job_id)}
                />
              ) : null}
              <IconButton
                icon={X}
                size="sm"
                label={`Remove ${jobs[index]?.label} from the comparison`}
                onClick={() => router.push(comparePath(ids.filter((id) => id !== job.job_id)))}
              />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
