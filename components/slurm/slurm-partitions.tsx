import type { SlurmPartitionView } from '@/lib/slurm/contract'
import { Badge } from '../ui/badge'
import { formatNumber } from '../ui/format-number'
import { formatSeconds } from '../ui/format-time'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { type Column, DataTable } from '../ui/table'
import { GpuUse } from './gpu-use'

/** Slurm's partitions. */
export function SlurmPartitions({ partitions }: { partitions: readonly SlurmPartitionView[] }) {
  return (
    <Panel>
      <PanelHeader title="Partitions" description="The groups of nodes to which Slurm sends jobs." />
      {partitions.length === 0 ? (
        <PanelBody>
          <p className="text-muted text-sm">Slurm has no partitions.</p>
        </PanelBody>
      ) : (
        <DataTable caption="Partitions" columns={columns} items={partitions} keyOf={({ name }) => name} />
      )}
    </Panel>
  )
}

const columns: readonly Column<SlurmPartitionView>[] = [
  {
    label: 'Partition',
    kind: 'title',
    cell: ({ name, is_default, state }) => (
      <span className="flex min-w-0 flex-wrap items-center gap-1.5">
        <span className="break-all font-medium text-ink">{name}</span>
        {is_default ? <Badge>default</Badge> : null}
        {state === 'UP' ? null : <Badge tone="warning">{state.toLowerCase()}</Badge>}
      </span>
    ),
  },
  {
    label: 'GPUs used',
    cell: ({ gpus, used_gpus }) => (
      <GpuUse gpus={gpus === 0 ? [] : [{ type: 'all types', count: gpus, used: used_gpus }]} />
    ),
  },
  {
    label: 'Nodes',
    align: 'end',
    className: 'text-muted tabular-nums',
    cell: ({ nodes }) => formatNumber(nodes),
  },
  {
    label: 'Longest job',
    align: 'end',
    className: 'text-muted whitespace-nowrap',
    cell: ({ max_time_s }) => (max_time_s === null ? 'unlimited' : formatSeconds(max_time_s)),
  },
]
