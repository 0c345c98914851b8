import { SquareTerminal } from 'lucide-react'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { CopyButton } from '../../ui/copy-button'

/** How to attach to the terminal of a job that has one. */
export function JobTerminal({ job }: { job: JobDetail }) {
  if (!job.terminal || isFinal(job.status)) return null
  const command = `gpuq attach ${job.job_id}`
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 px-1 text-muted text-sm">
      <SquareTerminal className="size-4 shrink-0" aria-hidden />
      {job.status === 'running' ? 'Attach to the terminal:' : 'Attach to the terminal when the job runs:'}
      <span className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 break-all text-ink text-xs">{command}</code>
        <CopyButton text={command} label="Copy command" />
      </span>
    </p>
  )
}
