import { memo } from 'react'
import type { ClusterGpu } from '@/lib/contract/cluster/cluster'
import { cn } from '../../ui/class-names'
import { StatusBadge } from '../../ui/status-badge'
import { gpuStateStyles } from '../state-styles'
import { AllocationBar } from './allocation-bar'
import type { GpuHistory, GpuSeries } from './gpu-history'
import { gpuMetrics } from './gpu-metrics'
import { JobShare } from './job-share'
import { Sparkline } from './sparkline'

interface GpuTileProps {
  gpu: ClusterGpu
  series: GpuSeries | undefined
  hour: GpuHistory['hour']
  onOpen: (gpuId: string) => void
}

/** One GPU with its state, jobs and metrics. Renders again only if they change. */
export const GpuTile = memo(function GpuTile({ gpu, series, hour, onOpen }: GpuTileProps) {
  const stateStyle = gpuStateStyles[gpu.state]
  return (
    <li className="group relative flex min-w-0 flex-col gap-2 rounded-md border bg-surface p-2.5 transition-colors hover:bg-hover">
      <div className="flex items-center justify-between gap-2">
        <button
          type="button"
          onClick={() => onOpen(gpu.gpu_id)}
          className="rounded-sm font-medium text-ink text-sm after:absolute after:inset-0 after:rounded-md focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus"
        >
          GPU {gpu.index}
          <span className="sr-only"> {stateStyle.label}: details</span>
        </button>
        <StatusBadge {...stateStyle} variant="plain" className="text-xs" />
      </div>
      <AllocationBar share={gpu.allocated} />
      <Occupants gpu={gpu} />
      {gpu.simulated ? (
        <p className="mt-auto text-subtle text-xs">Simulated: no measurements</p>
      ) : (
        <dl className="mt-auto flex flex-col gap-1">
          {gpuMetrics(gpu, series).map(({ label, now, chart }) => (
            <div key={label} className="grid grid-cols-[3rem_minmax(0,1fr)_3.75rem] items-center gap-1.5">
              <dt className="text-subtle text-xs">{label}</dt>
              <dd className="contents">
                <Sparkline {...chart} {...hour} />
                <span className="whitespace-nowrap text-right text-ink text-xs tabular-nums">{now}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
})

/** Always two lines, so that nothing moves when jobs change. The details show the rest. */
function Occupants({ gpu: { jobs, reason } }: { gpu: ClusterGpu }) {
  const maxJobs = reason === null ? 2 : 1
  const shown = jobs.length > maxJobs ? jobs.slice(0, maxJobs - 1) : jobs
  const hidden = jobs.length - shown.length
  return (
    <div className="min-h-8 text-xs">
      {reason ? (
        <p className={cn('text-muted', jobs.length === 0 ? 'line-clamp-2' : 'truncate')} title={reason}>
          {reason}
        </p>
      ) : null}
      {shown.map((job, index) => (
        <JobShare key={job.job_id ?? index} job={job} />
      ))}
      {hidden > 0 ? (
        <p className="text-muted">{shown.length > 0 ? `and ${hidden} more` : `${hidden} jobs`}</p>
      ) : null}
      {reason === null && jobs.length === 0 ? <p className="text-subtle">No jobs</p> : null}
    </div>
  )
}
