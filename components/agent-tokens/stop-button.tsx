import { useMutation } from '@tanstack/react-query'
import { OctagonX } from 'lucide-react'
import type { Token } from '@/lib/contract/access/access'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { formatCount } from '../ui/format-number'
import { IconButton } from '../ui/icon-button'
import { toast } from '../ui/toaster'
import { stopToken } from './queries'

/** Ends a token with all that was submitted with it. */
export function StopButton({ token }: { token: Token }) {
  const { mutateAsync } = useMutation(stopToken)
  const stop = async () => {
    const { jobs, groups } = await mutateAsync(token.token_id)
    toast.success(`${token.name} stopped`, {
      description: `${formatCount(jobs, 'job')} and ${formatCount(groups, 'group')} cancelled.`,
    })
  }
  return (
    <ConfirmDialog
      trigger={<IconButton icon={OctagonX} variant="danger" label={`Stop ${token.name} and its jobs`} />}
      title={`Stop “${token.name}” and its jobs?`}
      description="The token is revoked, and all jobs and groups that were submitted with it are cancelled. You cannot undo this."
      confirmLabel="Stop token and jobs"
      keepLabel="Keep them"
      onConfirm={stop}
    />
  )
}
