import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { cancelJob } from '@/components/queries/queries'
import { ConfirmDialog } from '../ui/confirm-dialog'

interface CancelDialogProps {
  job: { job_id: string; hasStarted: boolean }
  onCancelled?: () => void
  /** The button that opens it. A dialog without one is open while it is rendered. */
  trigger?: ReactElement
  onClose?: () => void
}

/** Asks before a job is cancelled. */
export function CancelDialog({ job, onCancelled, ...dialog }: CancelDialogProps) {
  const { mutateAsync } = useMutation(cancelJob)
  return (
    <ConfirmDialog
      {...dialog}
      title="Cancel this job?"
      description={describeCancel(job)}
      confirmLabel="Cancel job"
      keepLabel="Keep job"
      onConfirm={() => mutateAsync(job.job_id).then(onCancelled)}
    />
  )
}

/** What a cancel does to a job. */
export function describeCancel({ hasStarted }: { hasStarted: boolean }): string {
  return hasStarted
    ? 'gpuq stops the program and keeps its output.'
    : 'The job leaves the queue and does not run.'
}
