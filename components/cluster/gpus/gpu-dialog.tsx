import { useMutation } from '@tanstack/react-query'
import { Play, Trash2 } from 'lucide-react'
import { forgetGpu, updateGpu } from '@/components/queries/cluster'
import type { ClusterGpu, ClusterNode } from '@/lib/contract/cluster/cluster'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { DataList, Datum } from '../../ui/data-list'
import { Dialog } from '../../ui/dialog'
import { StatusBadge } from '../../ui/status-badge'
import { toast, toastOutcome } from '../../ui/toaster'
import { formatGib, formatShare } from '../format-amounts'
import { PauseForm } from '../pause-form'
import { gpuStateStyles } from '../state-styles'
import type { GpuHistory } from './gpu-history'
import { gpuMetrics } from './gpu-metrics'
import { JobShare } from './job-share'
import { Sparkline } from './sparkline'

export interface GpuDialogProps {
  gpu: ClusterGpu
  node: ClusterNode
  history: GpuHistory
  admin: boolean
  onClose: () => void
}

/** The details of one GPU, live. Admins can pause and resume it. */
export function GpuDialog({ gpu, node, history, admin, onClose }: GpuDialogProps) {
  const stateStyle = gpuStateStyles[gpu.state]
  const Actions = gpu.state === 'missing' ? ForgetGpu : PauseGpu
  return (
    <Dialog onClose={onClose} title={`GPU ${gpu.index} of ${node.name}`} description={stateStyle.message}>
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge {...stateStyle} />
          {gpu.simulated ? <Badge tone="warning">simulated</Badge> : null}
        </div>
        {gpu.reason ? <Callout tone={stateStyle.tone}>{gpu.reason}</Callout> : null}
        <GpuJobs gpu={gpu} />
        {gpu.simulated ? (
          <p className="text-muted text-sm">
            This GPU is simulated. Its jobs run in real containers, but there is no device to measure.
          </p>
        ) : (
          <GpuCharts gpu={gpu} history={history} />
        )}
        <DataList className="grid-cols-2 sm:grid-cols-4">
          <Datum label="Model">{gpu.model}</Datum>
          <Datum label="Memory">{formatGib(gpu.memory_mib)}</Datum>
          <Datum label="Allocated">{formatShare(gpu.allocated)}</Datum>
          <Datum label="Power">{gpu.use?.power_w == null ? '–' : `${Math.round(gpu.use.power_w)} W`}</Datum>
        </DataList>
        <p className="break-all font-mono text-subtle text-xs">{gpu.uuid}</p>
        {admin ? <Actions gpu={gpu} node={node} onDone={onClose} /> : null}
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

/** The metrics of a GPU over the last hour. */
function GpuCharts({ gpu, history }: { gpu: ClusterGpu; history: GpuHistory }) {
  const series = history.of.get(gpu.gpu_id)
  return (
    <section aria-label="Last hour">
      <h3 className="mb-1.5 font-medium text-ink text-sm">Last hour</h3>
      <div className="grid gap-3 sm:grid-cols-3">
        {gpuMetrics(gpu, series).map(({ label, now, chart }) => (
          <div key={label} className="min-w-0">
            <p className="flex items-baseline justify-between gap-2 text-xs">
              <span className="text-subtle">{label}</span>
              <span className="text-ink tabular-nums">{now}</span>
            </p>
            <Sparkline
              {...chart}
              {...history.hour}
              label={`${label} over the last hour, now ${now}`}
              className="mt-1 h-10"
            />
          </div>
        ))}
      </div>
      {series?.at.length ? null : <p className="mt-1 text-subtle text-xs">No measurements yet.</p>}
    </section>
  )
}

interface GpuActionsProps extends Pick<GpuDialogProps, 'gpu' | 'node'> {
  onDone: () => void
}

function ForgetGpu({ gpu, node, onDone }: GpuActionsProps) {
  const { mutateAsync } = useMutation(forgetGpu)
  const name = `GPU ${gpu.index} of ${node.name}`
  return (
    <ConfirmDialog
      title={`Forget ${name}?`}
      description="gpuq removes the GPU from this page. Past jobs keep its name. If its node finds it again, it returns."
      confirmLabel="Forget GPU"
      keepLabel="Keep GPU"
      trigger={
        <Button icon={Trash2} className="self-start">
          Forget GPU
        </Button>
      }
      onConfirm={async () => {
        await mutateAsync(gpu.gpu_id)
        toast.success(`${name} forgotten`)
        onDone()
      }}
    />
  )
}

function PauseGpu({ gpu, onDone }: GpuActionsProps) {
  const { mutateAsync, mutate, isPending } = useMutation(updateGpu)
  if (gpu.state !== 'paused') {
    return (
      <PauseForm
        hint="Shown with the GPU and with jobs that wait for it. Running jobs finish."
        submitLabel="Pause GPU"
        onPause={async (reason) => {
          await mutateAsync({ id: gpu.gpu_id, paused: true, ...reason })
          toast.success(`GPU ${gpu.index} paused`)
          onDone()
        }}
      />
    )
  }
  return (
    <Button
      icon={Play}
      className="self-start"
      loading={isPending}
      onClick={() =>
        mutate({ id: gpu.gpu_id, paused: false }, toastOutcome(`GPU ${gpu.index} accepts jobs again`))
      }
    >
      Resume GPU
    </Button>
  )
}
