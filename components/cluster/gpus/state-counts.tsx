import { type Cluster, gpuStates } from '@/lib/contract/cluster'
import { StatusBadge } from '../../ui/status-badge'
import { gpuLooks } from '../states'

/** What the colours and signs of the grid mean, each with how many there are. */
export function StateCounts({ counts }: { counts: Cluster['gpus_by_state'] }) {
  return (
    <ul aria-label="GPUs by state" className="flex flex-wrap gap-x-4 gap-y-1">
      {gpuStates.map((name) => {
        const look = gpuLooks[name]
        return (
          <li key={name} title={look.message} className="flex items-center gap-1.5 text-xs">
            <StatusBadge {...look} look="plain" className="text-xs" />
            <span className="text-muted tabular-nums">{counts[name].toLocaleString('en')}</span>
          </li>
        )
      })}
    </ul>
  )
}
