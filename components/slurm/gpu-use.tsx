import type { SlurmNodeView } from '@/lib/slurm/contract'
import { AllocationBar } from '../cluster/gpus/allocation-bar'
import { formatNumber } from '../ui/format-number'

/** The used GPUs of a node or a partition, by type. */
export function GpuUse({ gpus }: Pick<SlurmNodeView, 'gpus'>) {
  if (gpus.length === 0) return <span className="text-subtle">none</span>
  return (
    <ul className="flex w-full min-w-28 max-w-48 flex-col gap-1.5 @max-2xl:ml-auto">
      {gpus.map(({ type, count, used }) => (
        <li key={type ?? ''} className="flex flex-col gap-1">
          <span className="flex flex-wrap justify-between gap-x-3 text-muted text-xs">
            <span className="break-all">{type ?? 'GPU'}</span>
            <span className="tabular-nums">
              {formatNumber(used)} of {formatNumber(count)}
            </span>
          </span>
          <AllocationBar share={count === 0 ? 0 : used / count} />
        </li>
      ))}
    </ul>
  )
}
