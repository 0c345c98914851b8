import { useMemo } from 'react'
import type { SlurmClusterView, SlurmOtherJob } from '@/lib/slurm/contract'
import { Duration } from '../ui/duration'
import { formatCount, formatNumber } from '../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { type Column, DataTable } from '../ui/table'

interface SlurmOtherJobsProps {
  jobs: SlurmClusterView['other_jobs']
  admin: boolean
}

/** What Slurm jobs occupy that gpuq did not submit. Only admins see whose they are. */
export function SlurmOtherJobs({ jobs: { running, waiting, gpus, largest }, admin }: SlurmOtherJobsProps) {
  const columns = useMemo(
    () => (admin ? [nodesColumn, owner, ...amounts] : [nodesColumn, ...amounts]),
    [admin],
  )
  const hidden = running - largest.length
  return (
    <Panel>
      <PanelHeader
        title="Other Slurm jobs"
        description={running === 0 ? undefined : describeJobs(running, gpus, waiting)}
      />
      {running === 0 ? (
        <PanelBody>
          <p className="text-muted text-sm">{describeJobs(running, gpus, waiting)}</p>
        </PanelBody>
      ) : (
        <DataTable
          caption="Other Slurm jobs"
          columns={columns}
          items={largest}
          keyOf={({ slurm_id }) => String(slurm_id)}
        />
      )}
      {hidden > 0 ? (
        <p className="border-t p-3 text-center text-muted text-xs">
          and {formatCount(hidden, 'smaller job')}
        </p>
      ) : null}
    </Panel>
  )
}

function describeJobs(running: number, gpus: number, waiting: number): string {
  const used = gpus === 0 ? 'no GPUs' : formatCount(gpus, 'GPU')
  const subject = `${formatCount(running, 'job')} that gpuq did not submit`
  const now =
    running === 0
      ? "No other Slurm jobs use this cluster's GPUs."
      : `${subject} ${running === 1 ? 'uses' : 'use'} ${used}.`
  return waiting === 0 ? now : `${now} ${formatNumber(waiting)} ${waiting === 1 ? 'waits' : 'wait'}.`
}

const owner: Column<SlurmOtherJob> = {
  label: 'User',
  cell: ({ user, name }) => (
    <span className="flex min-w-0 flex-col @max-2xl:items-end">
      <span className="break-all">{user}</span>
      <span className="break-all text-subtle text-xs">{name}</span>
    </span>
  ),
}

const nodesColumn: Column<SlurmOtherJob> = {
  label: 'Nodes',
  kind: 'title',
  cell: ({ nodes, partition }) => (
    <span className="flex min-w-0 flex-col">
      <span className="break-all font-medium text-ink">{nodes.join(', ')}</span>
      <span className="text-subtle text-xs">{partition}</span>
    </span>
  ),
}

const amounts: readonly Column<SlurmOtherJob>[] = [
  { label: 'GPUs', align: 'end', className: 'tabular-nums', cell: ({ gpus }) => formatNumber(gpus) },
  {
    label: 'CPUs',
    align: 'end',
    className: 'text-muted tabular-nums',
    cell: ({ cpus }) => formatNumber(cpus),
  },
  {
    label: 'Running for',
    align: 'end',
    className: 'text-muted whitespace-nowrap',
    cell: ({ started_at, state }) =>
      started_at === null ? state.toLowerCase() : <Duration from={started_at} />,
  },
]
