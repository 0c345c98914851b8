import { type ClusterNode, gpuStates } from '@/lib/cluster/schemas'
import { StatusBadge } from '../../ui/status-badge'
import { gpuLooks } from '../states'

const states = gpuStates

/** What the colours and signs of the grid mean, each with how many there are. */
export function StateCounts({ nodes }: { nodes: readonly ClusterNode[] }) {
  const gpus = nodes.flatMap((node) => node.gpus)
  return (
    <ul aria-label="GPUs by state" className="flex flex-wrap gap-x-4 gap-y-1">
      {states.map((state) => {
        const count = gpus.filter((gpu) => gpu.state === state).length
        const { tone, icon, label, says } = gpuLooks[state]
        return (
          <li key={state} title={says} className="flex items-baseline gap-1.5">
            <StatusBadge tone={tone} icon={icon} label={label} look="plain" className="text-xs" />
            <span className="text-muted text-xs tabular-nums">{count.toLocaleString('en')}</span>
          </li>
        )
      })}
    </ul>
  )
}
