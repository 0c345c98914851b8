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

/** What one can do with a job. */
export function JobActions({ job }: { job: JobDetail }) {
  return (
    <>
      {isFinal(job.status) ? null : <CancelButton job={job} />}
      <AgainActions job={job} />
      <MoreActions job={job} />
    </>
  )
}

/** What one can do with what was submitted. */
function AgainActions({ job }: { job: JobDetail }) {
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
          ? 'The program is stopped. What it has printed until then is kept.'
          : 'It leaves the queue and will not run.'
      }
      confirmLabel="Cancel the job"
      keepLabel="Keep it"
      onConfirm={() => mutateAsync(job.job_id)}
    />
  )
}

function copyAndSay(text: string, what: string): void {
  copyText(text).then(
    () => toast.success(`${what} was copied`),
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
        Download the JSONL file
      </MenuItem>
      <MenuItem
        icon={Download}
        disabled={!stored}
        {...(stored ? { href: api.jobs.downloadUrl(id, 'text'), download: true } : {})}
      >
        Download the plain text
      </MenuItem>
      <MenuItem icon={Link2} disabled={!stored} onSelect={() => void copyLink(id, 'result')}>
        Copy a link to the JSONL file
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Copy} onSelect={() => copyAndSay(id, 'The job id')}>
        Copy the job id
      </MenuItem>
      {command === null ? null : (
        <MenuItem icon={SquareTerminal} onSelect={() => copyAndSay(command, 'The command')}>
          Copy the command
        </MenuItem>
      )}
    </DropdownMenu>
  )
}
