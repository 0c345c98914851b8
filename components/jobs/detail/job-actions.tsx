'use client'

import { useMutation } from '@tanstack/react-query'
import {
  Ban,
  Copy,
  Download,
  Ellipsis,
  FileJson,
  Link2,
  Pencil,
  RotateCw,
  SquareTerminal,
} from 'lucide-react'
import { api, cancelJob } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { Button } from '../../ui/button'
import { ButtonLink } from '../../ui/button-link'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { copyText } from '../../ui/copy-text'
import { DropdownMenu, MenuItem, MenuSeparator } from '../../ui/dropdown-menu'
import { IconButton } from '../../ui/icon-button'
import { toast } from '../../ui/toaster'
import { copyLink } from '../artifacts/copy-link'
import { useRunAgain } from './use-run-again'

/** The actions for a job. */
export function JobActions({ job }: { job: JobDetail }) {
  return (
    <>
      {isFinal(job.status) ? null : <CancelButton job={job} />}
      <RerunActions job={job} />
      <MoreActions job={job} />
    </>
  )
}

function RerunActions({ job }: { job: JobDetail }) {
  const { runAgain, working } = useRunAgain(job.job_id)
  return (
    <>
      {isFinal(job.status) ? (
        <Button loading={working} onClick={runAgain}>
          <RotateCw aria-hidden />
          Run again
        </Button>
      ) : null}
      <ButtonLink href={`/submit?from=${job.job_id}`}>
        <Pencil aria-hidden />
        Edit and run again
      </ButtonLink>
    </>
  )
}

function CancelButton({ job }: { job: JobDetail }) {
  const { mutateAsync } = useMutation(cancelJob)
  return (
    <ConfirmDialog
      trigger={
        <Button variant="danger-quiet" disabled={job.cancel_requested}>
          <Ban aria-hidden />
          {job.cancel_requested ? 'Cancelling' : 'Cancel'}
        </Button>
      }
      title="Cancel this job?"
      description={
        job.started_at
          ? 'gpuq stops the program and keeps its output.'
          : 'The job leaves the queue and does not run.'
      }
      confirmLabel="Cancel job"
      keepLabel="Keep job"
      onConfirm={() => mutateAsync(job.job_id)}
    />
  )
}

function copyWithToast(text: string, what: string): void {
  copyText(text).then(
    () => toast.success(`${what} copied`),
    (error: Error) => toast.error(error.message),
  )
}

function MoreActions({ job }: { job: JobDetail }) {
  const { job_id: id, command } = job
  const stored = job.result_file !== null
  return (
    <DropdownMenu trigger={<IconButton icon={Ellipsis} label="More" variant="secondary" size="lg" />}>
      <MenuItem
        icon={FileJson}
        disabled={!stored}
        {...(stored ? { href: api.jobs.downloadUrl(id, 'jsonl'), download: true } : {})}
      >
        Download JSONL file
      </MenuItem>
      <MenuItem
        icon={Download}
        disabled={!stored}
        {...(stored ? { href: api.jobs.downloadUrl(id, 'text'), download: true } : {})}
      >
        Download plain text
      </MenuItem>
      <MenuItem icon={Link2} disabled={!stored} onSelect={() => void copyLink(id, 'result')}>
        Copy link to JSONL file
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Copy} onSelect={() => copyWithToast(id, 'Job id')}>
        Copy job id
      </MenuItem>
      {command === null ? null : (
        <MenuItem icon={SquareTerminal} onSelect={() => copyWithToast(command, 'Command')}>
          Copy command
        </MenuItem>
      )}
    </DropdownMenu>
  )
}
