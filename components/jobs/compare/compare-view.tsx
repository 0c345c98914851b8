'use client'

import { useQueries } from '@tanstack/react-query'
import { GitCompareArrows } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { jobQuery, jobSourceQuery } from '@/components/queries/queries'
import { ButtonLink } from '@/components/ui/button-link'
import { Callout } from '@/components/ui/callout'
import { CopyButton } from '@/components/ui/copy-button'
import { EmptyState } from '@/components/ui/empty-state'
import { formatCount } from '@/components/ui/format-number'
import { PageHeader } from '@/components/ui/page-header'
import { Panel, PanelHeader } from '@/components/ui/panel'
import { Skeleton } from '@/components/ui/skeleton'
import type { JobDetail } from '@/lib/contract/jobs'
import { jobTitle } from '../job-title'
import { isRunning } from '../metrics/job-curves'
import type { MetricsJob } from '../metrics/metrics-view'
import { sortNames } from '../metrics/sort-names'
import { formatValue } from '../result/chart-series'
import { showText } from '../result/json-text'
import { AddJob } from './add-job'
import { CodePanel } from './code-panel'
import { maxCompared, readCompared } from './compare-path'
import { ComparedJobs } from './compared-jobs'
import { ComparisonTable } from './comparison-table'

/** It has the parser of YAML, which is large. */
const ConfigPanel = dynamic(() => import('./config-panel').then((module) => module.ConfigPanel), {
  ssr: false,
  loading: () => <Skeleton className="h-32 rounded-lg" />,
})

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
  const hide = useSearchParams().get('hide')
  const hidden = useMemo(() => readCompared(hide).ids, [hide])
  const drawn = useMemo(() => jobs.filter(({ id }) => !hidden.includes(id)), [jobs, hidden])
  return (
    <>
      <ComparedJobs details={details} jobs={jobs} hidden={hidden} />
      <section aria-label="Metrics" className="min-w-0">
        {drawn.length > 0 ? (
          <MetricsView jobs={drawn} />
        ) : (
          <p className="text-muted text-sm">All jobs are hidden in the charts.</p>
        )}
      </section>
      <FinalMetrics details={details} jobs={jobs} />
      <ConfigPanel jobs={jobs} configs={sources.map(({ data }) => data?.config ?? null)} />
      {jobs.length > 1 ? (
        <CodePanel details={details} jobs={jobs} sources={sources.map(({ data }) => data ?? null)} />
      ) : null}
    </>
  )
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

function FinalMetrics({ details, jobs }: { details: readonly JobDetail[]; jobs: readonly MetricsJob[] }) {
  const names = sortNames([...new Set(details.flatMap(({ metrics }) => Object.keys(metrics)))])
  if (names.length === 0) return null
  const rows = names.map((name) => {
    const values = details.map(({ metrics }) =>
      Object.hasOwn(metrics, name) ? (metrics[name] ?? null) : null,
    )
    return {
      name: showText(name),
      cells: values.map((value) => (value === null ? null : formatValue(value))),
      differs: new Set(values).size > 1,
    }
  })
  const csv = [
    ['metric', ...jobs.map(({ label }) => label)],
    ...rows.map(({ name, cells }) => [name, ...cells]),
  ]
  return (
    <Panel>
      <PanelHeader
        title="Final metrics"
        description="The last value of each metric, at most 64 for each job"
        actions={<CopyButton text={csv.map((row) => row.join('\t')).join('\n')} label="Copy the table" />}
      />
      <ComparisonTable caption="Final metrics" heading="Metric" jobs={jobs} rows={rows} numeric />
    </Panel>
  )
}
