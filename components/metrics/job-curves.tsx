import { useQuery } from '@tanstack/react-query'
import { jobMetricsQuery } from '@/components/metrics/queries'
import { useJobApi } from '@/components/queries/job-api'
import { formatNumber } from '@/components/ui/format-number'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import type { MetricSeries } from '@/lib/metrics/contract'
import { useIsWide } from '../jobs/detail/use-is-wide'
import { formatValue } from '../jobs/result/chart-series'
import { showText } from '../jobs/result/json-text'
import { curveHeight, curvePath, curveWidth } from './curve-path'

const shownMetrics = 6

export function isRunning({ status }: Pick<JobDetail, 'status'>): boolean {
  return status === 'running'
}

/** Small live curves of a job's first metrics, beside its output. Only a wide window loads them. */
export function JobCurves({ job, onOpen }: { job: JobDetail; onOpen: () => void }) {
  const wide = useIsWide()
  const live = isRunning(job)
  const { data } = useQuery({
    ...jobMetricsQuery(useJobApi(), job.job_id, { limit: shownMetrics, points: 120 }, live),
    enabled: wide && job.attempt > 0 && job.files_deleted === null,
  })
  const series = data?.series ?? []
  return (
    <section aria-label="Metrics" className="flex flex-col gap-2">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h2 className="font-medium text-ink text-xs">Metrics</h2>
        {data && data.name_count > 0 ? (
          <button type="button" onClick={onOpen} className="min-h-6 text-accent-ink text-xs hover:underline">
            {data.name_count > series.length ? `All ${formatNumber(data.name_count)}` : 'Open'}
          </button>
        ) : null}
      </div>
      {series.length === 0 ? (
        <p className="text-subtle text-xs">
          {!isFinal(job.status)
            ? 'Numbers that the job prints in lines of JSON appear here.'
            : 'The job printed no numbers in lines of JSON.'}
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {series.map((own) => (
            <Curve key={own.name} series={own} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Curve({ series }: { series: MetricSeries }) {
  const { name, last } = series
  const value = last === null ? '–' : formatValue(last)
  return (
    <li className="rounded-md border p-2.5">
      <p className="mb-1 flex justify-between gap-2 text-xs">
        <span className="min-w-0 truncate text-subtle">{showText(name)}</span>
        <span className="text-ink tabular-nums" title={last === null ? undefined : String(last)}>
          {value}
        </span>
      </p>
      <svg
        role="img"
        aria-label={`${showText(name)}, last ${value}`}
        viewBox={`0 0 ${curveWidth} ${curveHeight}`}
        preserveAspectRatio="none"
        className="h-10 w-full overflow-visible text-(--series-1)"
      >
        <path
          d={curvePath(series)}
          className="fill-none stroke-current"
          strokeWidth={1.5}
          strokeLinecap="round"
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </li>
  )
}
