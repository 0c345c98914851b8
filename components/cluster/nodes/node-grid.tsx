import { useQuery } from '@tanstack/react-query'
import { LayoutGrid, Rows3 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { clusterHistoryQuery, nodesPerPage } from '@/components/queries/cluster'
import type { Cluster, ClusterNode, NodesWanted } from '@/lib/contract/cluster/cluster'
import { gpuStates } from '@/lib/contract/cluster/gpu-states'
import { cn } from '../../ui/class-names'
import { formatNumber } from '../../ui/format-number'
import { Panel } from '../../ui/panel'
import { Segmented } from '../../ui/segmented'
import { StatusBadge } from '../../ui/status-badge'
import type { GpuDialogProps } from '../gpus/gpu-dialog'
import { type GpuHistory, indexHistory, noHistory } from '../gpus/gpu-history'
import { gpuStateStyles } from '../state-styles'
import { NoNodes } from './no-nodes'
import { NodeCard, type NodeView } from './node-card'
import { NodePager, NodeSearch } from './node-search'

/** Loaded when a GPU is opened. */
const GpuDialog = dynamic(() => import('../gpus/gpu-dialog').then((module) => module.GpuDialog), {
  ssr: false,
})

/** With more GPUs than this, the compact view is the default. */
const manyGpus = 48

const manyNodes = 8

const nodeViews = [
  { value: 'details', label: 'Details', icon: Rows3 },
  { value: 'compact', label: 'Compact', icon: LayoutGrid },
] as const

/** The detailed view needs more space and an hour of data for each GPU. */
const detailedNodesPerPage = 12

interface NodeGridProps {
  /** The heading. */
  title?: string
  /** Whether the compact view is the default for any number of GPUs. */
  startsCompact?: boolean
  cluster: Cluster
  /** Which nodes to show. */
  filter: NodesWanted
  onFilter: (filter: NodesWanted) => void
  admin: boolean
}

/** The nodes with their GPUs. */
export function NodeGrid({
  title = 'Nodes',
  startsCompact = false,
  cluster,
  filter,
  onFilter,
  admin,
}: NodeGridProps) {
  const { nodes, matching_nodes, cluster_status } = cluster
  const [chosen, setChosen] = useState<NodeView | null>(null)
  const [openId, setOpenId] = useState<string | null>(null)
  const view = chosen ?? (startsCompact || cluster_status.total_gpus > manyGpus ? 'compact' : 'details')
  const history = useHistory(view === 'details' ? nodes : nodes.filter((node) => has(node, openId)))
  if (cluster_status.nodes === 0) {
    return (
      <Panel>
        <NoNodes admin={admin} />
      </Panel>
    )
  }
  const paged = cluster_status.nodes > nodesPerPage
  const choose = (next: NodeView) => {
    setChosen(next)
    if (paged) {
      onFilter({ ...filter, offset: 0, limit: next === 'details' ? detailedNodesPerPage : nodesPerPage })
    }
  }
  const pager = (
    <NodePager filter={filter} onFilter={onFilter} shown={nodes.length} matching={matching_nodes} />
  )
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-semibold text-base text-ink">{title}</h2>
        <StateCounts counts={cluster.gpus_by_state} />
        <Segmented
          label="GPU view"
          value={view}
          onValueChange={choose}
          options={nodeViews}
          className="ml-auto"
        />
      </div>
      {paged || filter.name || filter.not_ready ? <NodeSearch filter={filter} onFilter={onFilter} /> : null}
      {pager}
      <div className={cn('grid gap-3', view === 'compact' && 'xl:grid-cols-2')}>
        {nodes.map((node) => (
          <NodeCard
            key={node.node_id}
            node={node}
            view={view}
            history={history}
            admin={admin}
            many={nodes.length > manyNodes}
            onOpenGpu={setOpenId}
          />
        ))}
      </div>
      {nodes.length > manyNodes ? pager : null}
      <OpenGpu id={openId} nodes={nodes} history={history} admin={admin} onClose={() => setOpenId(null)} />
    </section>
  )
}

/** The last hour of the visible GPUs only: for thousands of GPUs it is megabytes. */
function useHistory(nodes: readonly ClusterNode[]): GpuHistory {
  const measured = nodes.filter(({ gpus }) => gpus.some(({ simulated }) => !simulated))
  const { data = noHistory } = useQuery({
    ...clusterHistoryQuery(measured.map(({ node_id }) => node_id)),
    enabled: measured.length > 0,
    select: indexHistory,
  })
  return data
}

function has({ gpus }: ClusterNode, gpuId: string | null): boolean {
  return gpuId !== null && gpus.some(({ gpu_id }) => gpu_id === gpuId)
}

interface OpenGpuProps extends Pick<GpuDialogProps, 'history' | 'admin' | 'onClose'> {
  id: string | null
  nodes: readonly ClusterNode[]
}

function OpenGpu({ id, nodes, ...rest }: OpenGpuProps) {
  if (id === null) return null
  const node = nodes.find((one) => has(one, id))
  const gpu = node?.gpus.find(({ gpu_id }) => gpu_id === id)
  return node && gpu ? <GpuDialog gpu={gpu} node={node} {...rest} /> : null
}

/** The legend of the GPU states, with counts. */
function StateCounts({ counts }: { counts: Cluster['gpus_by_state'] }) {
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
