'use client'

import { useMutation } from '@tanstack/react-query'
import { Play, Trash2 } from 'lucide-react'
import { forgetGpu, updateGpu } from '@/components/queries/cluster'
import type { ClusterGpu, ClusterNode } from '@/lib/contract/cluster'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { DataList, Datum } from '../../ui/data-list'
import { Dialog } from '../../ui/dialog'
import { StatusBadge } from '../../ui/status-badge'
import { toast } from '../../ui/toaster'
import { formatGib, formatShare } from '../format-amounts'
import { PauseForm } from '../pause-form'
import { gpuLooks } from '../states'
import { GpuCharts } from './gpu-charts'
import type { GpuHistory } from './gpu-history'
import { JobShare } from './job-share'

interface GpuDialogProps {
  gpu: ClusterGpu
  node: ClusterNode
  history: GpuHistory | undefined
  admin: boolean
  onClose: () => void
}

/** Everything about one GPU, live; for admins, the way to take it out of service and back. */
export function GpuDialog({ gpu, node, history, admin, onClose }: GpuDialogProps) {
  const look = gpuLooks[gpu.state]
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={`GPU ${gpu.index} of ${node.name}`}
      description={look.message}
    >
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge tone={look.tone} icon={look.icon} label={look.label} />
          {gpu.simulated ? <Badge tone="warning">simulated</Badge> : null}
        </div>
        {gpu.reason ? <Callout tone={look.tone}>{gpu.reason}</Callout> : null}
        <GpuJobs gpu={gpu} />
        {gpu.simulated ? (
          <p className="text-muted text-sm">
            This GPU is simulated: jobs on it run in real containers, and there is no device to measure.
          </p>
        ) : (
          <GpuCharts gpu={gpu} history={history} />
        )}
        <DataList className="grid-cols-2 sm:grid-cols-4">
          <Datum label="Model">{gpu.model}</Datum>
          <Datum label="Memory">{formatGib(gpu.memory_mib)}</Datum>
          <Datum label="Given out">{formatShare(gpu.allocated)}</Datum>
          <Datum label="Power">{gpu.use?.power_w == null ? '–' : `${Math.round(gpu.use.power_w)} W`}</Datum>
        </DataList>
        <p className="break-all font-mono text-subtle text-xs">{gpu.uuid}</p>
        {admin ? <GpuActions gpu={gpu} node={node} onDone={onClose} /> : null}
      </div>
    </Dialog>
  )
}

function GpuJobs({ gpu: { jobs } }: { gpu: ClusterGpu }) {
  if (jobs.length === 0) return null
  return (
    <section aria-label="Jobs on this GPU">
      <h3 className="mb-1 font-medium text-ink text-sm">Jobs</h3>
      <ul className="divide-y rounded-lg border">
        {jobs.map((job, index) => (
          <li key={job.job_id ?? index} className="flex min-h-9 items-center px-3 text-sm">
            <JobShare job={job} className="flex-1" />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface GpuActionsProps extends Pick<GpuDialogProps, 'gpu' | 'node'> {
  onDone: () => void
}

function GpuActions({ gpu, node, onDone }: GpuActionsProps) {
  if (gpu.state !== 'missing') return <PauseGpu gpu={gpu} onDone={onDone} />
  return <ForgetGpu gpu={gpu} node={node} onDone={onDone} />
}

function ForgetGpu({ gpu, node, onDone }: GpuActionsProps) {
  const { mutateAsync } = useMutation(forgetGpu)
  const name = `GPU ${gpu.index} of ${node.name}`
  return (
    <ConfirmDialog
      title={`Forget ${name}?`}
      description="It leaves this page. Past jobs go on naming it. Once its node finds it again, it is back."
      confirmLabel="Forget the GPU"
      keepLabel="Keep it"
      trigger={
        <Button className="self-start">
          <Trash2 aria-hidden />
          Forget this GPU
        </Button>
      }
      onConfirm={async () => {
        await mutateAsync(gpu.gpu_id)
        toast.success(`${name} is forgotten`)
        onDone()
      }}
    />
  )
}

function PauseGpu({ gpu, onDone }: { gpu: ClusterGpu; onDone: () => void }) {
  const { mutateAsync, mutate, isPending } = useMutation(updateGpu)
  if (gpu.state !== 'paused') {
    return (
      <PauseForm
        hint="Shown beside the GPU, and to jobs that wait for it. Jobs that run on it finish."
        send="Pause this GPU"
        onPause={async (reason) => {
          await mutateAsync({ id: gpu.gpu_id, paused: true, ...reason })
          toast.success(`GPU ${gpu.index} is paused`)
          onDone()
        }}
      />
    )
  }
  return (
    <Button
      className="self-start"
      loading={isPending}
      onClick={() =>
        mutate(
          { id: gpu.gpu_id, paused: false },
          {
            onSuccess: () => toast.success(`GPU ${gpu.index} takes jobs again`),
            onError: (error) => toast.error(error.message),
          },
        )
      }
    >
      <Play aria-hidden />
      Resume this GPU
    </Button>
  )
}
