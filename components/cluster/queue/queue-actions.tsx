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
  /** Left out once the job has started. */
  onPriority?: (job: QueueJob) => void
}

/** What one can do with a job in the queue. */
export function QueueActions({ job, onPriority }: QueueActionsProps) {
  const [asking, setAsking] = useState(false)
  const { mutateAsync } = useMutation(cancelQueued)
  const title = queueJobTitle(job)
  return (
    <span className="relative">
      <DropdownMenu trigger={<IconButton icon={Ellipsis} label={`Actions for ${title}`} />}>
        {onPriority ? (
          <MenuItem icon={ArrowUpDown} onSelect={() => onPriority(job)}>
            Change the priority…
          </MenuItem>
        ) : null}
        <MenuItem icon={Ban} tone="danger" onSelect={() => setAsking(true)}>
          Cancel the job…
        </MenuItem>
      </DropdownMenu>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Cancel ${title}?`}
        description={
          job.started_at
            ? 'The program is stopped. What it has printed until then is kept.'
            : 'It leaves the queue and will not run.'
        }
        confirmLabel="Cancel the job"
        keepLabel="Keep it"
        onConfirm={async () => {
          if (job.job_id === null) return
          await mutateAsync(job.job_id)
          toast.success(`${title} is cancelled`)
        }}
      />
    </span>
  )
}
