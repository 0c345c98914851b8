import { type Cluster, gpuStates } from '@/lib/contract/cluster'
import { formatNumber } from '../../ui/format-number'
import { StatusBadge } from '../../ui/status-badge'
import { gpuStateStyles } from '../state-styles'

/** The legend of the GPU states, with counts. */
export function StateCounts({ counts }: { counts: Cluster['gpus_by_state'] }) {
  return (
    <ul aria-label="GPUs by state" className="flex flex-wrap gap-x-4 gap-y-1">
      {gpuStates.map((name) => {
        const stateStyle = gpuStateStyles[name]
        return (
          <li key={name} title={stateStyle.message} className="flex items-center gap-1.5 text-xs">
            <StatusBadge {...stateStyle} variant="plain" className="text-xs" />
            <span className="text-muted tabular-nums">{formatNumber(counts[name])}</span>
          </li>
        )
      })}
    </ul>
  )
}
