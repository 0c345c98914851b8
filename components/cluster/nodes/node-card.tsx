import { memo } from 'react'
import type { ClusterNode } from '@/lib/contract/cluster/cluster'
import { Badge } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { cn } from '../../ui/class-names'
import { formatCount } from '../../ui/format-number'
import { Link } from '../../ui/link'
import { Panel, PanelBody } from '../../ui/panel'
import { StatusBadge } from '../../ui/status-badge'
import { formatGib, formatModels } from '../format-amounts'
import { CompactTile } from '../gpus/compact-tile'
import type { GpuHistory } from '../gpus/gpu-history'
import { GpuTile } from '../gpus/gpu-tile'
import { nodeStateStyles } from '../state-styles'
import { NodeActions } from './node-actions'
import { NodeProbe } from './node-probe'

export type NodeView = 'details' | 'compact'

interface NodeCardProps {
  node: ClusterNode
  view: NodeView
  history: GpuHistory
  admin: boolean
  /** With many nodes, the browser skips those out of view: hundreds of GPUs must scroll smoothly. */
  many: boolean
  onOpenGpu: (gpuId: string) => void
}

/** One node with its GPUs. */
export const NodeCard = memo(function NodeCard({
  node,
  view,
  history,
  admin,
  many,
  onOpenGpu,
}: NodeCardProps) {
  const stateStyle = nodeStateStyles[node.state]
  return (
    <Panel {...(many ? { className: cn('[content-visibility:auto]', estimatedSize[view]) } : {})}>
      <header className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-2">
        <div className="min-w-0 flex-1 basis-56">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h3 className="min-w-0 break-words font-semibold text-ink text-sm">{node.name}</h3>
            <span title={stateStyle.message}>
              <StatusBadge {...stateStyle} variant="plain" className="text-xs" />
            </span>
            {node.simulated ? <Badge tone="warning">simulated</Badge> : null}
            {node.dedicated ? <Badge>for one job</Badge> : null}
            {node.pool === 'on-demand' ? null : <Badge>{node.pool}</Badge>}
          </div>
          <p className="text-muted text-xs">{describeNode(node)}</p>
        </div>
        {admin ? <NodeActions node={node} /> : null}
      </header>
      <PanelBody className="flex flex-col gap-3">
        {node.reason ? <Callout tone={stateStyle.tone}>{node.reason}</Callout> : null}
        <NodeProbe probe={node.probe} />
        <WarmContainers node={node} />
        <FailedChecks node={node} />
        <NodeWarnings warnings={node.warnings} />
        <NodeGpus node={node} view={view} history={history} onOpenGpu={onOpenGpu} />
      </PanelBody>
    </Panel>
  )
})

/** The estimated height of a node before its first rendering. */
const estimatedSize = {
  details: '[contain-intrinsic-size:auto_22rem]',
  compact: '[contain-intrinsic-size:auto_10rem]',
} as const satisfies Record<NodeView, string>

function describeNode(node: ClusterNode): string {
  const { cpu_used_milli, cpu_milli, memory_used_mib, memory_mib } = node
  const gpus = node.gpus.length === 0 ? 'no GPUs' : formatModels(node.gpus.map(({ model }) => model))
  const cores = `${Number((cpu_used_milli / 1000).toFixed(1))}/${Math.round(cpu_milli / 1000)} cores`
  const memory = `${formatGib(memory_used_mib).replace(' GiB', '')}/${formatGib(memory_mib)}`
  return `${gpus} · ${cores}, ${memory} allocated`
}

function WarmContainers({ node: { warm_containers, warm_memory_mib } }: { node: ClusterNode }) {
  if (warm_containers === 0) return null
  return (
    <p className="text-muted text-xs">
      {formatCount(warm_containers, 'warm container')}, {warm_memory_mib} MiB. Jobs like the latest ones start
      at once.
    </p>
  )
}

function FailedChecks({ node: { node_id, name, failed_checks } }: { node: ClusterNode }) {
  if (failed_checks === 0) return null
  return (
    <p className="text-danger-ink text-xs">
      {formatCount(failed_checks, 'check')} of {name} failed.{' '}
      <Link href={`/admin/health#node-${node_id}`}>See what to do</Link>
    </p>
  )
}

function NodeWarnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <details className="text-xs">
      <summary className="w-fit rounded-sm text-warning-ink">
        {formatCount(warnings.length, 'worker warning')}
      </summary>
      <ul className="mt-1 list-disc pl-5 text-muted">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </details>
  )
}

const columnsOf = {
  details: 'grid-cols-[repeat(auto-fill,minmax(12.5rem,1fr))] gap-2',
  unmeasured: 'grid-cols-2 gap-2 sm:grid-cols-4',
  compact: 'grid-cols-[repeat(auto-fill,minmax(5.75rem,1fr))] gap-1.5',
}

function NodeGpus({ node, view, history, onOpenGpu }: Omit<NodeCardProps, 'admin' | 'many'>) {
  if (node.gpus.length === 0)
    return <p className="text-muted text-sm">This node runs jobs that need no GPU.</p>
  // A tile without measurements needs no space for charts.
  const tiles = node.gpus.every(({ simulated }) => simulated) ? 'unmeasured' : view
  const columns = columnsOf[view === 'compact' ? view : tiles]
  return (
    <ul aria-label={`GPUs of ${node.name}`} className={cn('grid', columns)}>
      {node.gpus.map((gpu) =>
        view === 'compact' ? (
          <CompactTile key={gpu.gpu_id} gpu={gpu} onOpen={onOpenGpu} />
        ) : (
          <GpuTile
            key={gpu.gpu_id}
            gpu={gpu}
            series={history.of.get(gpu.gpu_id)}
            hour={history.hour}
            onOpen={onOpenGpu}
          />
        ),
      )}
    </ul>
  )
}
