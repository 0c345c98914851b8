import { type ClusterNode, gpuStates } from '@/lib/cluster/schemas'
import { StatusBadge } from '../../ui/status-badge'
import { closedLook, gpuLook, gpuLooks } from '../states'

const looks = [...gpuStates.map((state) => gpuLooks[state]), closedLook]

/** What the colours and signs of the grid mean, each with how many there are. */
export function StateCounts({ nodes }: { nodes: readonly ClusterNode[] }) {
  const shown = nodes.flatMap((node) => node.gpus.map((gpu) => gpuLook(gpu, node)))
  return (
    <ul aria-label="GPUs by state" className="flex flex-wrap gap-x-4 gap-y-1">
      {looks.map((look) => (
        <li key={look.label} title={look.says} className="flex items-center gap-1.5 text-xs">
          <StatusBadge {...look} look="plain" className="text-xs" />
          <span className="text-muted tabular-nums">
            {shown.filter((own) => own === look).length.toLocaleString('en')}
          </span>
        </li>
      ))}
    </ul>
  )
}
