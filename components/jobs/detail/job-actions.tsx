import { useMutation } from '@tanstack/react-query'
import {
  Ban,
  Copy,
  Download,
  Ellipsis,
  FileJson,
  GitCompareArrows,
  Link2,
  ListPlus,
  Pencil,
  RotateCw,
  Share2,
  SquareTerminal,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { api } from '@/components/queries/queries'
import { deleteJobFiles } from '@/components/queries/storage'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { ofJob } from '../../features'
import { Button } from '../../ui/button'
import { ButtonLink } from '../../ui/button-link'
import { cn } from '../../ui/class-names'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { copyWithToast } from '../../ui/copy-text'
import { DropdownMenu, MenuItem, MenuSeparator } from '../../ui/dropdown-menu'
import { IconButton } from '../../ui/icon-button'
import { useFooterHeight } from '../../ui/use-footer-height'
import { CancelDialog } from '../cancel-dialog'
import { comparePath } from '../compare-path'
import { failedByUser } from '../failure/fault'
import { hasSource } from '../has-source'
import { useRunAgain } from '../run-again'

/** On a narrow screen, the actions share a line. */
const inBar = 'max-sm:h-11 max-sm:grow max-sm:px-2'

interface JobActionsProps {
  job: JobDetail
  /** For a manager of the project, who may read and cancel the job. */
  readOnly: boolean
}

/** The actions for a job: beside its title, on a narrow screen at the bottom of the window. */
export function JobActions({ job, readOnly }: JobActionsProps) {
  const footer = useFooterHeight()
  return (
    <div
      ref={footer}
      data-bottom-bar
      className={cn(
        'flex flex-wrap items-center gap-2 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:flex-nowrap',
        'max-sm:border-t max-sm:bg-raised max-sm:px-4 max-sm:pt-2 max-sm:shadow-float',
        'max-sm:pb-[max(0.5rem,env(safe-area-inset-bottom))]',
      )}
    >
      {isFinal(job.status) ? null : <CancelButton job={job} />}
      {hasSource(job) ? <RerunActions job={job} /> : null}
      <MoreActions job={job} readOnly={readOnly} />
    </div>
  )
}

function RerunActions({ job }: { job: JobDetail }) {
  const submitAgain = useRunAgain()
  const [working, setWorking] = useState(false)
  const runAgain = async () => {
    setWorking(true)
    await submitAgain(job.job_id)
    setWorking(false)
  }
  return (
    <>
      {isFinal(job.status) ? (
        <Button icon={RotateCw} loading={working} onClick={runAgain} className={inBar}>
          Run again
        </Button>
      ) : null}
      {/* The card of a failure has it. */}
      {failedByUser(job) ? null : (
        <ButtonLink
          icon={Pencil}
          href={`/submit?from=${job.job_id}`}
          className={cn(inBar, 'max-[24rem]:[&_svg]:hidden')}
        >
          Edit and run again
        </ButtonLink>
      )}
    </>
  )
}

function CancelButton({ job }: { job: JobDetail }) {
  return (
    <CancelDialog
      job={{ job_id: job.job_id, hasStarted: job.started_at !== null }}
      trigger={
        <Button icon={Ban} variant="danger-quiet" disabled={job.cancel_requested} className={inBar}>
          {job.cancel_requested ? 'Cancelling' : 'Cancel'}
        </Button>
      }
    />
  )
}

const downloads = [
  { format: 'jsonl', icon: FileJson, label: 'Download JSONL file' },
  { format: 'text', icon: Download, label: 'Download plain text' },
] as const

function MoreActions({ job, readOnly }: JobActionsProps) {
  const { job_id: id, command } = job
  const stored = job.result_file !== null
  const [deleting, setDeleting] = useState(false)
  const [sharing, setSharing] = useState(false)
  return (
    <>
      {sharing ? <ofJob.Share id={id} onClose={() => setSharing(false)} /> : null}
      {deleting ? <DeleteFiles id={id} onClose={() => setDeleting(false)} /> : null}
      <DropdownMenu
        trigger={
          <IconButton
            icon={Ellipsis}
            label="More"
            variant="secondary"
            size="lg"
            className="max-sm:size-11 pointer-coarse:size-11"
          />
        }
      >
        {downloads.map(({ format, icon, label }) => (
          <MenuItem
            key={format}
            icon={icon}
            disabled={!stored}
            {...(stored ? { href: api.jobs.downloadUrl(id, format), download: true } : {})}
          >
            {label}
          </MenuItem>
        ))}
        {readOnly ? null : (
          <>
            <MenuItem icon={Link2} disabled={!stored} onSelect={() => void ofJob.copyLink(id, 'result')}>
              Copy link to JSONL file
            </MenuItem>
            <MenuItem icon={Share2} onSelect={() => setSharing(true)}>
              Share read-only…
            </MenuItem>
          </>
        )}
        <MenuSeparator />
        {readOnly || job.status === 'failed' || job.status === 'cancelled' ? null : (
          <MenuItem icon={ListPlus} href={`/submit?after=${id}`}>
            New job after this one
          </MenuItem>
        )}
        <MenuItem icon={GitCompareArrows} href={comparePath([id])}>
          Compare with…
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => copyWithToast(id, 'Job id')}>
          Copy job id
        </MenuItem>
        {command === null ? null : (
          <MenuItem icon={SquareTerminal} onSelect={() => copyWithToast(command, 'Command')}>
            Copy command
          </MenuItem>
        )}
        {readOnly ? null : (
          <>
            <MenuSeparator />
            <MenuItem icon={Trash2} disabled={!stored} onSelect={() => setDeleting(true)}>
              Delete files…
            </MenuItem>
          </>
        )}
      </DropdownMenu>
    </>
  )
}

function DeleteFiles({ id, onClose }: { id: string; onClose: () => void }) {
  const { mutateAsync } = useMutation(deleteJobFiles)
  return (
    <ConfirmDialog
      title="Delete the files of this job?"
      description="gpuq deletes the output, the files of /results and the program. The job stays in the list. You cannot undo this."
      confirmLabel="Delete"
      onClose={onClose}
      onConfirm={() => mutateAsync(id)}
    />
  )
}
