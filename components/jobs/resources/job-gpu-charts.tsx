import type { JobResources } from '@/lib/contract/cluster/job-resources'
import { formatGib, formatShare } from '../../cluster/format-amounts'
import { Sparkline } from '../../cluster/gpus/sparkline'
import { cn } from '../../ui/class-names'
import { ScrollRegion } from '../../ui/scroll-region'
import type { JobGpuSeries } from './gpu-series'

interface JobGpuChartsProps {
  instances: JobResources['got']
  series: readonly JobGpuSeries[]
  /** The job runs: each GPU has its place before its first sample. */
  live: boolean
  /** The maximum height. */
  className: string
}

/** Charts of the load and memory of a job's GPUs. */
export function JobGpuCharts({ instances, series, live, className }: JobGpuChartsProps) {
  const shown = live ? withMissingSeries(instances, series) : series
  if (shown.length === 0) return null
  const from = Math.min(...shown.map(({ samples }) => samples[0]?.at ?? Number.POSITIVE_INFINITY))
  const to = Math.max(...shown.map(({ samples }) => samples.at(-1)?.at ?? 0))
  return (
    <ScrollRegion aria-label="GPU use" className={cn('overflow-y-auto', className)}>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-2">
        {shown.map((own) => (
          <JobGpu
            key={`${own.rank}/${own.index}`}
            series={own}
            instance={instances.find(({ rank }) => rank === own.rank)}
            severalNodes={instances.length > 1}
            frame={{ from, to: Math.max(to, from + 1) }}
          />
        ))}
      </ul>
    </ScrollRegion>
  )
}

function withMissingSeries(instances: JobResources['got'], series: readonly JobGpuSeries[]): JobGpuSeries[] {
  return instances.flatMap(({ rank, gpus }) =>
    gpus
      .filter(({ simulated }) => !simulated)
      .map(
        ({ index }) =>
          series.find((own) => own.rank === rank && own.index === index) ?? { rank, index, samples: [] },
      ),
  )
}

interface JobGpuProps {
  series: JobGpuSeries
  instance: JobResources['got'][number] | undefined
  severalNodes: boolean
  frame: { from: number; to: number }
}

function JobGpu({ series, instance, severalNodes, frame }: JobGpuProps) {
  const gpu = instance?.gpus.find(({ index }) => index === series.index)
  const load = series.samples.map((sample) => sample.load)
  const used = series.samples.map((sample) => sample.memory_used_mib)
  const size = gpu?.memory_mib ?? Math.max(1, ...used.map((value) => value ?? 0))
  const lines = [
    { of: 'load', label: 'Load', values: load, max: 1, now: formatLast(load, formatShare) },
    { of: 'memory', label: 'Memory', values: used, max: size, now: formatLast(used, formatGib) },
  ] as const
  return (
    <li className="rounded-md border p-2.5">
      <p className="mb-1.5 truncate font-medium text-ink text-xs">
        GPU {series.index}
        {severalNodes && instance ? ` of ${instance.node}` : ''}
        {gpu && gpu.share < 1 ? `, shared: this job has ${formatShare(gpu.share)}` : ''}
      </p>
      {lines.map(({ of, label, values, max, now }) => (
        <div key={of} className="grid grid-cols-[3.25rem_minmax(0,1fr)_4rem] items-center gap-2 text-xs">
          <span className="text-subtle">{label}</span>
          <Sparkline
            of={of}
            at={series.samples.map(({ at }) => at)}
            values={values}
            {...frame}
            max={max}
            label={`${label} of GPU ${series.index}, last ${now}`}
            className="h-6"
          />
          <span className="whitespace-nowrap text-right text-ink tabular-nums">{now}</span>
        </div>
      ))}
    </li>
  )
}

function formatLast(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.findLast((value) => value !== null)
  return last === undefined ? '–' : format(last)
}
