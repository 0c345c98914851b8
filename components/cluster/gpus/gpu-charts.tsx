import type { ClusterGpu } from '@/lib/cluster/schemas'
import type { GpuHistory } from './gpu-history'
import { measuresOf } from './gpu-measures'
import { Sparkline } from './sparkline'

const none: readonly number[] = []

/** What a GPU did over the last hour, large enough to read. */
export function GpuCharts({ gpu, history }: { gpu: ClusterGpu; history: GpuHistory | undefined }) {
  const series = history?.of.get(gpu.gpu_id)
  const hour = history?.hour ?? { from: 0, to: 1 }
  const measured = (series?.at.length ?? 0) > 0
  return (
    <section aria-label="The last hour" className="flex flex-col gap-3">
      {measuresOf(gpu, series).map(({ of, label, now, values, max }) => (
        <div key={of}>
          <p className="flex items-baseline justify-between text-xs">
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
      <p className="flex justify-between text-subtle text-xs">
        {measured ? (
          <>
            <span>an hour ago</span>
            <span>now</span>
          </>
        ) : (
          <span>Nothing was measured yet.</span>
        )}
      </p>
    </section>
  )
}
