import { useMutation } from '@tanstack/react-query'
import { ArrowUpDown, Ban, Ellipsis, Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { cancelQueued, setHeld, setPriority } from '@/components/queries/cluster'
import type { QueueJob } from '@/lib/contract/cluster/cluster'
import { describeCancel } from '../../jobs/cancel-dialog'
import { DialogForm } from '../../shell/form'
import { useSchemaForm } from '../../shell/use-schema-form'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Dialog } from '../../ui/dialog'
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu'
import { IconButton } from '../../ui/icon-button'
import { NumberField } from '../../ui/text-field'
import { toast, toastOutcome } from '../../ui/toaster'
import { queueJobTitle } from './job-cell'

/** The actions for a job in the queue. */
export function QueueActions({ job }: { job: QueueJob }) {
  const [open, setOpen] = useState<'priority' | 'cancel' | null>(null)
  const onClose = () => setOpen(null)
  const title = queueJobTitle(job)
  return (
    <>
      <DropdownMenu trigger={<IconButton icon={Ellipsis} label={`Actions for ${title}`} />}>
        {job.status === 'queued' ? (
          <MenuItem icon={ArrowUpDown} onSelect={() => setOpen('priority')}>
            Change priority…
          </MenuItem>
        ) : null}
        {/* A job that its group has paused is held by that. */}
        {job.status === 'queued' && job.reason !== 'group_paused' ? <HoldItem job={job} /> : null}
        <MenuItem icon={Ban} tone="danger" onSelect={() => setOpen('cancel')}>
          Cancel job…
        </MenuItem>
      </DropdownMenu>
      {open === 'priority' ? <PriorityDialog job={job} onClose={onClose} /> : null}
      {open === 'cancel' ? <CancelDialog job={job} onClose={onClose} /> : null}
    </>
  )
}

/** Holds a waiting job, or releases it. */
function HoldItem({ job }: { job: QueueJob }) {
  const { mutate } = useMutation(setHeld)
  const held = isHeld(job)
  const change = () => {
    if (job.job_id === null) return
    const outcome = toastOutcome(`${queueJobTitle(job)} ${held ? 'released' : 'held'}`)
    mutate({ id: job.job_id, held: !held }, outcome)
  }
  return (
    <MenuItem icon={held ? Play : Pause} onSelect={change}>
      {held ? 'Release' : 'Hold'}
    </MenuItem>
  )
}

const isHeld = ({ reason }: QueueJob) => reason === 'held' || reason === 'slurm_held'

interface QueueJobDialogProps {
  job: QueueJob
  onClose: () => void
}

function CancelDialog({ job, onClose }: QueueJobDialogProps) {
  const { mutateAsync } = useMutation(cancelQueued)
  const title = queueJobTitle(job)
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Cancel ${title}?`}
      description={describeCancel({ hasStarted: job.started_at !== null })}
      confirmLabel="Cancel job"
      keepLabel="Keep job"
      onConfirm={async () => {
        if (job.job_id === null) return
        await mutateAsync(job.job_id)
        toast.success(`${title} cancelled`)
      }}
    />
  )
}

/** Changes the priority of a waiting job. */
export function PriorityDialog({ job, onClose }: QueueJobDialogProps) {
  const { mutateAsync } = useMutation(setPriority)
  const form = useSchemaForm({
    schema: () => import('../form-schemas').then((schemas) => schemas.prioritySchema),
    initial: { priority: String(job.priority) },
    onSubmit: async ({ priority }) => {
      if (job.job_id === null) return
      await mutateAsync({ id: job.job_id, priority })
      toast.success(`Priority set to ${priority}`)
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} title="Change priority" description={queueJobTitle(job)}>
      <DialogForm form={form} submitLabel="Change priority">
        <NumberField
          label="Priority"
          hint="From −100 to 100. Under the priority policy, a higher number starts first."
          inputMode="numeric"
          {...form.field('priority')}
        />
      </DialogForm>
    </Dialog>
  )
}
