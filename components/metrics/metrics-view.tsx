import { useQueries } from '@tanstack/react-query'
import { ChartSpline } from 'lucide-react'
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { jobMetricsQuery } from '@/components/metrics/queries'
import { useJobApi } from '@/components/queries/job-api'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { EmptyState } from '@/components/ui/empty-state'
import { formatCount } from '@/components/ui/format-number'
import { Skeleton } from '@/components/ui/skeleton'
import type { JobMetrics } from '@/lib/metrics/contract'
import { sortNames } from '../jobs/list/sort-names'
import { type ChartCursor, useChartCursor } from './chart-cursor'
import { type ChartSettings, type Range, useChartSettings } from './chart-settings'
import { groupLines, type JobGroup } from './group-lines'
import { MetricPanel } from './metric-panel'
import { MetricsToolbar } from './metrics-toolbar'
import type { MetricLine } from './plot-data'

/** A job whose metrics are shown. */
export interface MetricsJob {
  id: string
  label: string
  /** Its colour. */
  index: number
  live: boolean
}

const pageSize = 12
const pointsPerLine = 800

interface MetricsViewProps {
  jobs: readonly MetricsJob[]
  /** Their means are drawn instead of the jobs. */
  groups?: readonly JobGroup[] | null
  /** What to say if there are no metrics; default: how a program prints them. */
  hint?: ReactNode
}

/** Charts of the metrics of one job, or of several jobs in the same charts. */
export function MetricsView({ jobs, groups = null, hint = printHint }: MetricsViewProps) {
  const jobApi = useJobApi()
  const [settings, changeSettings] = useChartSettings()
  const [pages, setPages] = useState(1)
  const cursor = useChartCursor()
  const search = useDeferredValue(settings.search)
  const found = useQueries({
    queries: jobs.map(({ id, live }) =>
      jobMetricsQuery(jobApi, id, { limit: 0, x: 'line', ...(search ? { search } : {}) }, live),
    ),
  })
  const answers = found.flatMap(({ data }) => data ?? [])
  const failed = found.flatMap(({ error, data }, nth) => (error && !data ? [{ error, job: jobs[nth] }] : []))
  const axes = commonAxesOf(answers)
  const x = axes.find((axis) => axis === settings.x) ?? axes[0] ?? 'line'
  const names = unionOf(answers).filter((name) => name !== x)
  const setZoom = useCallback((zoom: Range | null) => changeSettings({ zoom }), [changeSettings])
  const change = (next: Partial<ChartSettings>) => {
    changeSettings(next.x === undefined ? next : { ...next, zoom: null })
    if (next.search !== undefined) setPages(1)
  }
  if (answers.length === 0 && failed.length === 0) return <Skeleton className="h-72 rounded-lg" />
  // The x axis is a metric too, but has no chart.
  const hidden = x !== 'line' && x !== 'time' && x.includes(search.toLowerCase()) ? 1 : 0
  const total = Math.max(names.length, ...answers.map(({ name_count }) => name_count - hidden))
  const isEmpty = names.length === 0 && settings.search === ''
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {failed.map(({ error, job }) => (
        <Callout key={job?.id} tone="warning" title={`No metrics of ${job?.label ?? 'a job'}`}>
          {error.message}
        </Callout>
      ))}
      {isEmpty ? (
        <NoMetrics answers={answers}>{hint}</NoMetrics>
      ) : (
        <>
          <MetricsToolbar settings={settings} axes={axes} x={x} onChange={change} />
          <p aria-live="polite" className="text-muted text-xs tabular-nums">
            {describeProgress(answers) ??
              `${formatCount(total, 'metric')}${answers.some(({ approximate }) => approximate) ? '; long series are summarized' : ''}`}
          </p>
          {names.length === 0 ? (
            <p className="text-muted text-sm">No metric has this text in its name.</p>
          ) : null}
          {Array.from({ length: Math.min(pages, Math.ceil(names.length / pageSize)) }, (_, page) => (
            <MetricPage
              // biome-ignore lint/suspicious/noArrayIndexKey: a page is identified by its number
              key={page}
              jobs={jobs}
              groups={groups}
              names={names.slice(page * pageSize, (page + 1) * pageSize)}
              x={x}
              cursor={cursor}
              settings={settings}
              onZoom={setZoom}
            />
          ))}
          {names.length > pages * pageSize ? (
            <Button className="self-center" onClick={() => setPages(pages + 1)}>
              Show more metrics
            </Button>
          ) : null}
        </>
      )}
    </div>
  )
}

interface MetricPageProps {
  jobs: readonly MetricsJob[]
  groups: readonly JobGroup[] | null
  names: readonly string[]
  x: string
  cursor: ChartCursor
  settings: ChartSettings
  onZoom: (range: Range | null) => void
}

/** Some charts, which are loaded together. */
function MetricPage({ jobs, groups, names, x, cursor, settings, onZoom }: MetricPageProps) {
  const { zoom } = settings
  const jobApi = useJobApi()
  const request = { names: [...names], x, points: pointsPerLine, ...(zoom ?? {}) }
  const series = useQueries({
    queries: jobs.map(({ id, live }) => jobMetricsQuery(jobApi, id, request, live)),
    combine: useCallback(
      (results: { data: JobMetrics | undefined }[]) => results.map(({ data }) => data?.series),
      [],
    ),
  })
  const lines = useMemo(() => {
    const byName = new Map<string, MetricLine[]>()
    for (const [nth, { id, label, index }] of jobs.entries()) {
      for (const own of series[nth] ?? []) {
        byName.set(own.name, [...(byName.get(own.name) ?? []), { id, label, index, series: own }])
      }
    }
    return byName
  }, [jobs, series])
  const means = useMemo(
    () => groups && new Map([...lines].map(([name, own]) => [name, groupLines(own, groups)] as const)),
    [lines, groups],
  )
  return (
    <ul className="grid min-w-0 grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] gap-3">
      {names.map((name) => (
        <MetricPanel
          key={name}
          name={name}
          x={x}
          lines={(means ?? lines).get(name) ?? noLines}
          jobs={lines.get(name) ?? noLines}
          cursor={cursor}
          smoothing={settings.smoothing}
          logarithmic={settings.logarithmic}
          ignoreOutliers={settings.ignoreOutliers}
          zoom={zoom}
          onZoom={onZoom}
        />
      ))}
    </ul>
  )
}

const noLines: readonly MetricLine[] = []

const printHint = (
  <>
    Each number in a line of JSON on stdout is a metric:{' '}
    <code className="whitespace-nowrap rounded-sm bg-sunken px-1 font-mono text-xs">
      print(json.dumps({'{'}"step": 1, "loss": 0.5{'}'}))
    </code>
  </>
)

function NoMetrics({ answers, children }: { answers: readonly JobMetrics[]; children: ReactNode }) {
  const progress = describeProgress(answers)
  return (
    <EmptyState icon={ChartSpline} title={progress ?? 'No metrics'} className="rounded-lg border bg-surface">
      {children}
    </EmptyState>
  )
}

function describeProgress(answers: readonly JobMetrics[]): string | null {
  const reading = answers.filter(({ complete }) => !complete)
  if (reading.length === 0) return null
  const least = Math.min(...reading.map(({ progress }) => progress))
  return `Reading the output: ${Math.floor(least * 100)} %`
}

/** The axes that all jobs have. */
function commonAxesOf([first, ...others]: readonly JobMetrics[]): string[] {
  return (first?.axes ?? []).filter((axis) => others.every(({ axes }) => axes.includes(axis)))
}

function unionOf(answers: readonly JobMetrics[]): string[] {
  return sortNames([...new Set(answers.flatMap(({ names }) => names))])
}
