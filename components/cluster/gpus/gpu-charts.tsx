import type { ClusterGpu } from '@/lib/contract/cluster'
import type { GpuHistory } from './gpu-history'
import { gpuMetrics } from './gpu-metrics'
import { Sparkline } from './sparkline'

const none: readonly number[] = []

/** The metrics of a GPU over the last hour. */
export function GpuCharts({ gpu, history }: { gpu: ClusterGpu; history: GpuHistory | undefined }) {
  const series = history?.of.get(gpu.gpu_id)
  const hour = history?.hour ?? { from: 0, to: 1 }
  const measured = (series?.at.length ?? 0) > 0
  return (
    <section aria-label="Last hour">
      <h3 className="mb-1.5 font-medium text-ink text-sm">Last hour</h3>
      <div className="grid gap-3 sm:grid-cols-3">
        {gpuMetrics(gpu, series).map(({ of, label, now, values, max }) => (
          <div key={of} className="min-w-0">
            <p className="flex items-baseline justify-between gap-2 text-xs">
              <span className="text-subtle">{label}</span>
              <span className="text-ink tabular-nums">{now}</span>
            </p>
            <Sparkline
              of={of}
              at={series?.at ?? none}
              values={values}
              {...hour}
              max={max}
              label={`${label} over the last hour, now ${now}`}
              className="mt-1 h-10"
            />
          </div>
        ))}
      </div>
      {measured ? null : <p className="mt-1 text-subtle text-xs">No measurements yet.</p>}
    </section>
  )
}
