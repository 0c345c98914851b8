'use client'

import { useQueries } from '@tanstack/react-query'
import { GitCompareArrows } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { jobQuery, jobSourceQuery } from '@/components/queries/queries'
import { ButtonLink } from '@/components/ui/button-link'
import { Callout } from '@/components/ui/callout'
import { EmptyState } from '@/components/ui/empty-state'
import { formatCount } from '@/components/ui/format-number'
import { PageHeader } from '@/components/ui/page-header'
import { Skeleton } from '@/components/ui/skeleton'
import type { JobDetail } from '@/lib/contract/jobs'
import { maxCompared, readCompared } from '../jobs/compare-path'
import { jobTitle } from '../jobs/job-title'
import { showText } from '../jobs/result/json-text'
import type { JobGroup } from '../metrics/group-lines'
import { isRunning } from '../metrics/job-curves'
import type { MetricsJob } from '../metrics/metrics-view'
import { AddJob } from './add-job'
import { CodePanel } from './code-panel'
import { ComparedJobs } from './compared-jobs'
import { ConfigPanel } from './config-panel'
import { FinalMetrics } from './final-metrics'
import { useGroups } from './use-groups'

const MetricsView = dynamic(() => import('../metrics/metrics-view').then((module) => module.MetricsView), {
  ssr: false,
  loading: () => <Skeleton className="h-72 rounded-lg" />,
})

interface CompareViewProps {
  ids: readonly string[]
  /** Ids without a job that the user may see. */
  missing: readonly string[]
  /** Number of jobs that are left out. */
  left: number
}

/** Several jobs beside each other: metrics, configs and programs. The address has their ids. */
export function CompareView({ ids, missing, left }: CompareViewProps) {
  const answers = useQueries({ queries: ids.map((id) => jobQuery(id)) })
  const details = answers.flatMap(({ data }) => data ?? [])
  return (
    <>
      <PageHeader
        path={[{ label: 'Jobs', href: '/jobs' }]}
        title={ids.length > 1 ? `Compare ${formatCount(ids.length, 'job')}` : 'Compare jobs'}
        description="Share the address of this page with everybody who may see these jobs."
        actions={<AddJob ids={ids} />}
      />
      <div data-wide className="flex min-w-0 flex-col gap-4">
        {missing.map((id) => (
          <Callout key={id} tone="warning" title="A job was not found">
            You have no job with the id <code className="break-all font-mono text-xs">{showText(id)}</code>.
            It was deleted, or it belongs to another user.
          </Callout>
        ))}
        {left > 0 ? (
          <Callout tone="warning" title={`${formatCount(left, 'job')} left out`}>
            A comparison has at most {maxCompared} jobs.
          </Callout>
        ) : null}
        {details.length === 0 ? <NoJobs /> : <Comparison details={details} />}
      </div>
    </>
  )
}

function NoJobs() {
  return (
    <EmptyState
      icon={GitCompareArrows}
      title="No jobs to compare"
      action={<ButtonLink href="/jobs">Choose jobs</ButtonLink>}
      className="rounded-lg border bg-surface"
    >
      Add a job, or choose Compare on the page of a job.
    </EmptyState>
  )
}

function Comparison({ details }: { details: readonly JobDetail[] }) {
  const labels = labelsOf(details)
  const key = JSON.stringify(details.map((job, index) => [job.job_id, labels[index], isRunning(job)]))
  // The same list while nothing in it changes, so that the charts stay.
  const jobs = useMemo(
    () =>
      (JSON.parse(key) as [string, string, boolean][]).map(
        ([id, label, live], index): MetricsJob => ({ id, label, index, live }),
      ),
    [key],
  )
  const sources = useQueries({ queries: jobs.map(({ id }) => jobSourceQuery(id)) })
  const configs = sources.map(({ data, isError }) => data?.config ?? (isError ? '' : null))
  const grouping = useGroups(details, configs)
  const groups = grouping?.groups ?? null
  const address = useSearchParams()
  const pending = grouping === null && address.has('group')
  const hide = address.get('hide')
  const hidden = useMemo(() => readCompared(hide).ids, [hide])
  // A job has the colour of its group.
  const coloured = useMemo(
    () => jobs.map((job) => ({ ...job, index: colourOf(job, groups) })),
    [jobs, groups],
  )
  const drawn = useMemo(() => coloured.filter(({ id }) => !hidden.includes(id)), [coloured, hidden])
  return (
    <>
      <ComparedJobs details={details} jobs={coloured} grouping={grouping} hidden={hidden} />
      <section aria-label="Metrics" className="min-w-0">
        {pending ? (
          <Skeleton className="h-72 rounded-lg" />
        ) : drawn.length > 0 ? (
          <MetricsView jobs={drawn} groups={groups} />
        ) : (
          <p className="text-muted text-sm">All jobs are hidden in the charts.</p>
        )}
      </section>
      {pending ? (
        <Skeleton className="h-40 rounded-lg" />
      ) : (
        <FinalMetrics details={details} jobs={coloured} groups={groups} />
      )}
      <ConfigPanel jobs={coloured} rows={grouping?.rows ?? null} />
      {jobs.length > 1 ? (
        <CodePanel details={details} jobs={jobs} sources={sources.map(({ data }) => data ?? null)} />
      ) : null}
    </>
  )
}

function colourOf({ id, index }: MetricsJob, groups: readonly JobGroup[] | null): number {
  return groups?.find(({ jobs }) => jobs.includes(id))?.index ?? index
}

/** Jobs may have the same name. */
function labelsOf(details: readonly JobDetail[]): string[] {
  const titles = details.map(jobTitle)
  return titles.map((title, at) =>
    titles.indexOf(title) === titles.lastIndexOf(title)
      ? title
      : `${title} (${details[at]?.job_id.slice(-4)})`,
  )
}
