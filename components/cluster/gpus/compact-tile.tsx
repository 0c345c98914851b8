import { memo } from 'react'
import type { ClusterGpu } from '@/lib/contract/cluster/cluster'
import { cn } from '../../ui/class-names'
import { tones } from '../../ui/tones'
import { gpuStateStyles } from '../state-styles'
import { AllocationBar } from './allocation-bar'

interface CompactTileProps {
  gpu: ClusterGpu
  onOpen: (gpuId: string) => void
}

/** One GPU of hundreds: its number, state and allocated share. */
export const CompactTile = memo(function CompactTile({ gpu, onOpen }: CompactTileProps) {
  const { tone, icon: Icon, label } = gpuStateStyles[gpu.state]
  return (
    <li className="min-w-0">
      <button
        type="button"
        onClick={() => onOpen(gpu.gpu_id)}
        className={cn(
          'flex w-full min-w-0 flex-col gap-1.5 rounded-md border px-2 py-1.5 text-left text-xs hover:border-edge',
          tones[tone],
          gpu.simulated && 'border-dashed',
        )}
      >
        <span className="flex w-full items-center gap-1.5">
          <Icon aria-hidden className="size-3.5 shrink-0" />
          <span className="min-w-0 truncate font-medium">{label}</span>
          <span className="ml-auto text-ink tabular-nums">
            <span className="sr-only">GPU </span>
            {gpu.index}
            {gpu.simulated ? <span className="sr-only"> simulated</span> : null}
          </span>
        </span>
        <AllocationBar share={gpu.allocated} className="w-full" />
      </button>
    </li>
  )
})
