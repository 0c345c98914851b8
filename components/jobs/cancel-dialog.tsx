import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { cancelJob } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { ConfirmDialog } from '../ui/confirm-dialog'

interface CancelDialogProps {
  job: Pick<JobDetail, 'job_id' | 'started_at'>
  /** The button that opens it. A dialog without one is open while it is rendered. */
  trigger?: ReactElement
  onClose?: () => void
}

/** Asks before a job is cancelled. */
export function CancelDialog({ job, ...dialog }: CancelDialogProps) {
  const { mutateAsync } = useMutation(cancelJob)
  return (
    <ConfirmDialog
      {...dialog}
      title="Cancel this job?"
      description={describeCancel(job)}
      confirmLabel="Cancel job"
      keepLabel="Keep job"
      onConfirm={() => mutateAsync(job.job_id)}
    />
  )
}

/** What a cancel does to a job. */
export function describeCancel({ started_at }: { started_at: string | null }): string {
  return started_at
    ? 'gpuq stops the program and keeps its output.'
    : 'The job leaves the queue and does not run.'
}
