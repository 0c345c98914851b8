'use client'

import { useMutation } from '@tanstack/react-query'
import { ArrowUpDown, Ban, Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { cancelQueued } from '@/components/queries/cluster'
import type { QueueJob } from '@/lib/contract/cluster'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu'
import { IconButton } from '../../ui/icon-button'
import { toast } from '../../ui/toaster'
import { queueJobTitle } from './job-cell'

interface QueueActionsProps {
  job: QueueJob
  /** Only for jobs that have not started. */
  onPriority?: (job: QueueJob) => void
}

/** The actions for a job in the queue. */
export function QueueActions({ job, onPriority }: QueueActionsProps) {
  const [confirming, setConfirming] = useState(false)
  const { mutateAsync } = useMutation(cancelQueued)
  const title = queueJobTitle(job)
  return (
    <span className="relative">
      <DropdownMenu trigger={<IconButton icon={Ellipsis} label={`Actions for ${title}`} />}>
        {onPriority ? (
          <MenuItem icon={ArrowUpDown} onSelect={() => onPriority(job)}>
            Change priority…
          </MenuItem>
        ) : null}
        <MenuItem icon={Ban} tone="danger" onSelect={() => setConfirming(true)}>
          Cancel job…
        </MenuItem>
      </DropdownMenu>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title={`Cancel ${title}?`}
        description={
          job.started_at
            ? 'gpuq stops the program and keeps its output.'
            : 'The job leaves the queue and does not run.'
        }
        confirmLabel="Cancel job"
        keepLabel="Keep job"
        onConfirm={async () => {
          if (job.job_id === null) return
          await mutateAsync(job.job_id)
          toast.success(`${title} cancelled`)
        }}
      />
    </span>
  )
}
