'use client'

import { useQuery } from '@tanstack/react-query'
import { LayoutGrid, Rows3 } from 'lucide-react'
import { useState } from 'react'
import type { ClusterNode } from '@/lib/cluster/schemas'
import { clusterHistoryQuery } from '@/lib/http/queries-cluster'
import { cn } from '../../ui/class-names'
import { Panel } from '../../ui/panel'
import { Segmented } from '../../ui/segmented'
import { GpuDialog } from '../gpus/gpu-dialog'
import { indexHistory } from '../gpus/gpu-history'
import { StateCounts } from '../gpus/state-counts'
import { NoNodes } from './no-nodes'
import { NodeCard, type NodeView } from './node-card'

/** From so many GPUs on, one line for each node says more than a page for each. */
const manyGpus = 48

const manyNodes = 8

const nodeViews = [
  { value: 'details', label: 'Details', icon: Rows3 },
  { value: 'compact', label: 'Compact', icon: LayoutGrid },
] as const

/** Every node with its GPUs, as large as their number allows. */
export function NodeGrid({ nodes, admin }: { nodes: readonly ClusterNode[]; admin: boolean }) {
  const gpus = nodes.flatMap((node) => node.gpus)
  const [chosen, setChosen] = useState<NodeView | null>(null)
  const [openId, setOpenId] = useState<string | null>(null)
  const view = chosen ?? (gpus.length > manyGpus ? 'compact' : 'details')
  const measured = gpus.some(({ simulated }) => !simulated)
  const { data: history } = useQuery({
    ...clusterHistoryQuery(),
    // An hour of hundreds of GPUs is megabytes: it is asked for only where it shows.
    enabled: measured && (view === 'details' || openId !== null),
    select: indexHistory,
  })
  if (nodes.length === 0) {
    return (
      <Panel>
        <NoNodes admin={admin} />
      </Panel>
    )
  }
  return (
    <section aria-label="Nodes" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-semibold text-base text-ink">Nodes</h2>
        <StateCounts nodes={nodes} />
        <Segmented
          label="How to show the GPUs"
          value={view}
          onValueChange={setChosen}
          options={nodeViews}
          className="ml-auto"
        />
      </div>
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
      <OpenGpu id={openId} nodes={nodes} history={history} admin={admin} onClose={() => setOpenId(null)} />
    </section>
  )
}

interface OpenGpuProps extends Pick<Parameters<typeof GpuDialog>[0], 'history' | 'admin' | 'onClose'> {
  id: string | null
  nodes: readonly ClusterNode[]
}

function OpenGpu({ id, nodes, ...rest }: OpenGpuProps) {
  if (id === null) return null
  const node = nodes.find(({ gpus }) => gpus.some(({ gpu_id }) => gpu_id === id))
  const gpu = node?.gpus.find(({ gpu_id }) => gpu_id === id)
  return node && gpu ? <GpuDialog gpu={gpu} node={node} {...rest} /> : null
}
