'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2, Waypoints } from 'lucide-react'
import { removeSlurmTarget, slurmTargetsQuery } from '@/components/slurm/queries'
import type { SlurmTargetView } from '@/lib/slurm/contract'
import { Loaded } from '../shell/load-failure'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { EmptyState } from '../ui/empty-state'
import { IconButton } from '../ui/icon-button'
import { PageHeader } from '../ui/page-header'
import { Panel } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { type Column, DataTable } from '../ui/table'
import { describeJobs, EditTargetDialog, NewTargetDialog } from './target-dialogs'

/** The page that says where the jobs of projects and pools go in Slurm. */
export function TargetList() {
  const query = useQuery(slurmTargetsQuery())
  return (
    <>
      <PageHeader
        title="Slurm"
        description="Account, partition, QOS and reservation of the jobs that gpuq submits. A job uses the row of its project, or else that of its pool."
        actions={
          <NewTargetDialog
            trigger={
              <Button icon={Plus} variant="primary">
                New row
              </Button>
            }
          />
        }
      />
      <Panel>
        <Loaded query={query} placeholder={<SkeletonRows rows={2} />} failureClass="m-4">
          {(targets) =>
            targets.length === 0 ? (
              <EmptyState icon={Waypoints} title="All jobs use Slurm’s defaults">
                Add a row for all jobs, for a pool or for a project. It applies to jobs that are submitted
                later.
              </EmptyState>
            ) : (
              <DataTable
                caption="Targets in Slurm"
                columns={columns}
                items={targets}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

const none = <span className="text-subtle">default</span>

function nameCell(name: string | null, otherwise = none) {
  return name === null ? otherwise : <span className="min-w-0 break-all font-mono text-xs">{name}</span>
}

const columns: readonly Column<SlurmTargetView>[] = [
  {
    label: 'Jobs',
    kind: 'title',
    cell: (target) => (
      <span className="min-w-0 wrap-anywhere font-medium text-ink">{describeJobs(target)}</span>
    ),
  },
  { label: 'Account', cell: ({ account }) => nameCell(account) },
  { label: 'Partition', cell: ({ partition }) => nameCell(partition) },
  { label: 'QOS', cell: ({ qos }) => nameCell(qos) },
  {
    label: 'Reservation',
    cell: ({ reservation }) => nameCell(reservation, <span className="text-subtle">none</span>),
  },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (target) => (
      <>
        <EditTargetDialog
          target={target}
          trigger={<IconButton icon={Pencil} label={`Change the row of ${describeJobs(target)}`} />}
        />
        <DeleteTarget target={target} />
      </>
    ),
  },
]

function DeleteTarget({ target }: { target: SlurmTargetView }) {
  const { mutateAsync } = useMutation(removeSlurmTarget)
  return (
    <ConfirmDialog
      trigger={<IconButton icon={Trash2} label={`Delete the row of ${describeJobs(target)}`} />}
      title={`Delete the row of ${describeJobs(target)}?`}
      description="Jobs that are in Slurm keep their place. Later jobs use the next general row, or Slurm’s defaults."
      confirmLabel="Delete"
      onConfirm={() => mutateAsync(target.id)}
    />
  )
}
