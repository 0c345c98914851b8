'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '@/lib/access/schemas'
import { updateUser } from '@/lib/http/queries'
import { NewTokenDialog } from '../access/new-token-dialog'
import { Badge } from '../ui/badge'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { Dialog } from '../ui/dialog'
import { RelativeTime } from '../ui/relative-time'
import { Cell, TableRow } from '../ui/table'
import { toast } from '../ui/toaster'
import { EditUserDialog } from './edit-user-dialog'
import { InvitationLink } from './invitation-link'
import { type UserAction, UserActions } from './user-actions'

/** One user, with what an admin may do about them. */
export function UserRow({ user, own }: { user: User; own: boolean }) {
  const [action, setAction] = useState<UserAction | null>(null)
  const { limits } = user
  return (
    <TableRow>
      <Cell>
        <span className="flex min-w-0 flex-col">
          <span className="flex flex-wrap items-center gap-1.5 font-medium text-ink">
            {user.user_id}
            {own ? <Badge tone="accent">you</Badge> : null}
            {user.invited ? <Badge tone="info">invited</Badge> : null}
            {user.disabled ? <Badge tone="danger">disabled</Badge> : null}
          </span>
          {user.name ? <span className="truncate text-subtle text-xs">{user.name}</span> : null}
        </span>
      </Cell>
      <Cell label="E-mail" className="text-muted">
        <span className="min-w-0 truncate">{user.email ?? '–'}</span>
      </Cell>
      <Cell label="Role">
        <Badge tone={user.role === 'admin' ? 'warning' : 'neutral'}>{user.role}</Badge>
      </Cell>
      <Cell label="Submissions a minute" className="text-muted">
        {limits.submissions_per_minute ?? 'default'}
      </Cell>
      <Cell label="Active jobs" className="text-muted">
        {limits.max_active_jobs ?? 'default'}
      </Cell>
      <Cell label="Last seen" className="text-muted">
        {user.last_seen_at ? <RelativeTime at={user.last_seen_at} /> : 'never'}
      </Cell>
      <Cell align="end">
        <UserActions user={user} own={own} onChoose={setAction} />
        <ActionDialog user={user} action={action} onClose={() => setAction(null)} />
      </Cell>
    </TableRow>
  )
}

interface ActionDialogProps {
  user: User
  action: UserAction | null
  onClose: () => void
}

function ActionDialog({ user, action, onClose }: ActionDialogProps) {
  const { mutateAsync } = useMutation(updateUser)
  const [link, setLink] = useState<string | null>(null)
  const close = (open: boolean) => {
    if (open) return
    setLink(null)
    onClose()
  }
  if (link !== null) {
    return (
      <Dialog open onOpenChange={close} title={`Invitation for ${user.user_id}`}>
        <InvitationLink handle={user.user_id} url={link} />
      </Dialog>
    )
  }
  if (action === 'edit') return <EditUserDialog user={user} onClose={onClose} />
  if (action === 'token') return <NewTokenDialog open admin owner={user.user_id} onOpenChange={close} />
  if (action === 'disable' || action === 'enable') {
    const disabled = action === 'disable'
    return (
      <ConfirmDialog
        open
        onOpenChange={close}
        title={disabled ? `Disable ${user.user_id}?` : `Enable ${user.user_id}?`}
        description={
          disabled
            ? 'Their sessions and tokens stop working at once. Their jobs and results stay.'
            : 'They may sign in again, and their tokens work again.'
        }
        confirmLabel={disabled ? 'Disable' : 'Enable'}
        tone={disabled ? 'danger' : 'primary'}
        onConfirm={async () => {
          await mutateAsync({ handle: user.user_id, disabled })
          toast.success(`${user.user_id} was ${disabled ? 'disabled' : 'enabled'}`)
        }}
      />
    )
  }
  if (action === 'invite') {
    return (
      <ConfirmDialog
        open
        onOpenChange={(open) => (open ? undefined : onClose())}
        title={`Make a new invitation for ${user.user_id}?`}
        description="It lets them set a new password. An invitation made before stops working."
        confirmLabel="Make the link"
        tone="primary"
        onConfirm={async () => {
          const answer = await mutateAsync({ handle: user.user_id, new_invitation: true })
          setLink(answer.invitation_url ?? null)
        }}
      />
    )
  }
  return null
}
