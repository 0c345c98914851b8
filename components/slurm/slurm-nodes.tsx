import { CircleCheck, CircleDot, CircleMinus, CircleX, ServerOff, SquareCheckBig } from 'lucide-react'
import { nodesPerPage } from '@/components/queries/cluster'
import type { NodesWanted } from '@/lib/contract/cluster/cluster'
import type { SlurmClusterView, SlurmNodeView } from '@/lib/slurm/contract'
import { formatGib } from '../cluster/format-amounts'
import { NodePager, NodeSearch } from '../cluster/nodes/node-search'
import type { StateStyle } from '../cluster/state-styles'
import { Badge } from '../ui/badge'
import { EmptyState } from '../ui/empty-state'
import { formatNumber } from '../ui/format-number'
import { Panel, PanelHeader } from '../ui/panel'
import { StatusBadge } from '../ui/status-badge'
import { type Column, DataTable } from '../ui/table'
import { GpuUse } from './gpu-use'
import { SlurmNodeActions } from './slurm-node-actions'

const slurmNodeStyles = {
  free: { tone: 'success', icon: CircleCheck, label: 'Free', message: 'No job runs there.' },
  mixed: { tone: 'info', icon: CircleDot, label: 'Partly used', message: 'A part of it is free.' },
  full: { tone: 'accent', icon: SquareCheckBig, label: 'Full', message: 'All of its GPUs or CPUs are used.' },
  draining: {
    tone: 'warning',
    icon: CircleMinus,
    label: 'Draining',
    message: 'It accepts no new jobs, and some still run.',
  },
  drained: { tone: 'neutral', icon: CircleMinus, label: 'Drained', message: 'It accepts no jobs.' },
  down: { tone: 'danger', icon: CircleX, label: 'Down', message: 'It does not answer Slurm.' },
} as const satisfies Record<SlurmNodeView['state'], StateStyle>

/** The nodes beyond which a filter is shown. */
const manyNodes = 8

interface SlurmNodesProps {
  slurm: SlurmClusterView
  filter: NodesWanted
  onFilter: (filter: NodesWanted) => void
}

/** Slurm's nodes with their states, GPUs and workers. */
export function SlurmNodes({ slurm, filter, onFilter }: SlurmNodesProps) {
  const { nodes, totals, matching_nodes, may_drain, read_at } = slurm
  const filtered = filter.name !== undefined || filter.not_ready === true
  return (
    <Panel>
      <PanelHeader
        title="Slurm nodes"
        description="All jobs count, also those that other programs submitted."
      />
      {totals.nodes === 0 ? (
        <EmptyState
          icon={ServerOff}
          title={read_at === null ? 'Slurm was not read yet' : 'No nodes'}
          className="py-8"
        >
          {read_at === null
            ? 'A worker with GPUQ_ENGINE=slurm reads it within seconds.'
            : 'Slurm has no nodes. An admin adds them to slurm.conf.'}
        </EmptyState>
      ) : (
        <>
          {totals.nodes > manyNodes || filtered ? (
            <div className="border-b px-4 py-3">
              <NodeSearch filter={filter} onFilter={onFilter} />
            </div>
          ) : null}
          {matching_nodes === 0 ? null : (
            <DataTable
              caption="Slurm nodes"
              columns={may_drain ? [...columns, actions] : columns}
              items={nodes}
              keyOf={({ name }) => name}
            />
          )}
          {matching_nodes === 0 || matching_nodes > nodesPerPage || filter.offset ? (
            <div className="border-t p-3">
              <NodePager filter={filter} onFilter={onFilter} shown={nodes.length} matching={matching_nodes} />
            </div>
          ) : null}
        </>
      )}
    </Panel>
  )
}

const columns: readonly Column<SlurmNodeView>[] = [
  {
    label: 'Node',
    kind: 'title',
    cell: ({ name, partitions }) => (
      <span className="flex min-w-0 flex-col">
        <span className="break-all font-medium text-ink">{name}</span>
        <span className="wrap-anywhere text-subtle text-xs">{partitions.join(', ')}</span>
      </span>
    ),
  },
  { label: 'State', cell: (node) => <NodeState node={node} /> },
  { label: 'GPUs used', cell: ({ gpus }) => <GpuUse gpus={gpus} /> },
  {
    label: 'CPUs',
    align: 'end',
    className: 'text-muted tabular-nums whitespace-nowrap',
    cell: ({ cpus, used_cpus }) => `${formatNumber(used_cpus)} of ${formatNumber(cpus)}`,
  },
  {
    label: 'Memory',
    align: 'end',
    className: 'text-muted tabular-nums whitespace-nowrap',
    cell: ({ memory_mib, used_memory_mib }) =>
      `${formatGib(used_memory_mib).replace(' GiB', '')} of ${formatGib(memory_mib)}`,
  },
  { label: 'Worker', cell: ({ worker }) => workerBadges[worker] },
]

const workerBadges = {
  ready: <span className="text-muted">ready</span>,
  lost: <Badge tone="danger">does not answer</Badge>,
  missing: <Badge tone="warning">none</Badge>,
} as const

const actions: Column<SlurmNodeView> = {
  label: 'Actions',
  kind: 'actions',
  cell: (node) => <SlurmNodeActions node={node} />,
}

/** The state, Slurm's reason, and a change that Slurm has not carried out yet. */
function NodeState({ node: { state, slurm_states, reason, request } }: { node: SlurmNodeView }) {
  const style = slurmNodeStyles[state]
  return (
    <span
      className="flex min-w-0 flex-col items-start @max-2xl:items-end"
      title={`Slurm: ${slurm_states.join('+')}`}
    >
      <StatusBadge {...style} variant="plain" />
      {reason === null ? null : (
        <span className="wrap-anywhere text-muted text-xs @max-2xl:text-right">{reason}</span>
      )}
      {request === null ? null : (
        <span className="wrap-anywhere text-warning-ink text-xs @max-2xl:text-right">
          {request.drained ? 'Drain' : 'Resume'} requested
          {request.requested_by ? ` by ${request.requested_by}` : ''}
          {request.problem === null
            ? '. Slurm has not carried it out yet.'
            : `. Slurm refused it: ${request.problem}`}
        </span>
      )}
    </span>
  )
}
