import { Eye, EyeOff, X } from 'lucide-react'
import { useRouter, useSearchParams } from 'next/navigation'
import { updateSearchParams } from '@/components/shell/update-search-params'
import { Duration } from '@/components/ui/duration'
import { IconButton } from '@/components/ui/icon-button'
import { Link } from '@/components/ui/link'
import { Panel, PanelHeader } from '@/components/ui/panel'
import { RelativeTime } from '@/components/ui/relative-time'
import type { JobDetail } from '@/lib/contract/jobs'
import { comparePath, withHidden } from '../jobs/compare-path'
import { JobStatus, jobStateOf } from '../jobs/job-status'
import { LineSample } from '../jobs/result/line-sample'
import type { MetricsJob } from '../metrics/metrics-view'
import type { JobGroups } from './group-jobs'
import { GroupSelect } from './group-select'

interface ComparedJobsProps {
  details: readonly JobDetail[]
  jobs: readonly MetricsJob[]
  /** Null: not known yet. */
  grouping: JobGroups | null
  /** The ids of the jobs that the charts leave out. */
  hidden: readonly string[]
}

/** The jobs of a comparison, with their colours. It is the legend of the charts. */
export function ComparedJobs({ details, jobs, grouping, hidden }: ComparedJobsProps) {
  const router = useRouter()
  const groups = grouping?.groups
  const address = new URLSearchParams(useSearchParams())
  const ids = jobs.map(({ id }) => id)
  const toggle = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((own) => own !== id) : [...hidden, id]
    updateSearchParams(withHidden(address, next), 'replace')
  }
  const rowOf = (job: JobDetail, at: number) => {
    const { id, label, index } = jobs[at] ?? { id: job.job_id, label: '', index: 0 }
    return (
      <ComparedJob
        key={id}
        job={job}
        label={label}
        index={index}
        hidden={jobs.length > 1 ? hidden.includes(id) : null}
        onToggle={() => toggle(id)}
        onRemove={() =>
          router.push(
            comparePath(
              ids.filter((own) => own !== id),
              address,
            ),
          )
        }
      />
    )
  }
  return (
    <Panel>
      {jobs.length > 1 ? (
        <PanelHeader
          title="Jobs"
          actions={<GroupSelect by={grouping?.by ?? null} choices={grouping?.choices ?? []} />}
        />
      ) : null}
      {groups ? (
        groups.map((group) => (
          <section key={group.id} aria-label={group.label} className="border-b last:border-b-0">
            <h3 className="flex items-center gap-2 bg-sunken px-4 py-1.5 font-medium text-ink text-xs">
              <LineSample index={group.index} />
              <span className="min-w-0 truncate" title={group.label}>
                {group.label}
              </span>
              <span className="shrink-0 font-normal text-subtle">n = {group.jobs.length}</span>
            </h3>
            <ul aria-label={`Compared jobs with ${group.label}`} className="divide-y">
              {details.map((job, at) => (group.jobs.includes(job.job_id) ? rowOf(job, at) : null))}
            </ul>
          </section>
        ))
      ) : (
        <ul aria-label="Compared jobs" className="divide-y">
          {details.map(rowOf)}
        </ul>
      )}
    </Panel>
  )
}

interface ComparedJobProps {
  job: JobDetail
  label: string
  index: number
  /** Null: it cannot be hidden. */
  hidden: boolean | null
  onToggle: () => void
  onRemove: () => void
}

function ComparedJob({ job, label, index, hidden, onToggle, onRemove }: ComparedJobProps) {
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5 text-sm">
      <span className="flex min-w-0 flex-1 basis-40 items-center gap-2 max-sm:basis-[calc(100%-5.5rem)]">
        <LineSample index={index} />
        <Link href={`/jobs/${job.job_id}`} className="min-w-0 truncate">
          {label}
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
        {hidden === null ? null : (
          <IconButton
            icon={hidden ? EyeOff : Eye}
            size="sm"
            label={`Hide ${label} in the charts`}
            pressed={hidden}
            onClick={onToggle}
          />
        )}
        <IconButton icon={X} size="sm" label={`Remove ${label} from the comparison`} onClick={onRemove} />
      </span>
    </li>
  )
}
