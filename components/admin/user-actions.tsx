import { useMutation } from '@tanstack/react-query'
import { Ellipsis, KeyRound, Link2, Pencil, UserCheck, UserX } from 'lucide-react'
import { useState } from 'react'
import { updateUser } from '@/components/queries/queries'
import type { User } from '@/lib/contract/access/access'
import { NewTokenDialog } from '../access/new-token-dialog'
import { FormError } from '../shell/form'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { Dialog, DialogClose } from '../ui/dialog'
import { DropdownMenu, MenuItem, MenuSeparator } from '../ui/dropdown-menu'
import { IconButton } from '../ui/icon-button'
import { toast } from '../ui/toaster'
import { EditUserDialog } from './edit-user-dialog'
import { InvitationLink } from './invitation-link'

type UserAction = 'edit' | 'token' | 'invite' | 'disable' | 'enable'

/** The admin actions for a user. Admins cannot disable themselves. */
export function UserActions({ user, own }: { user: User; own: boolean }) {
  const [action, setAction] = useState<UserAction | null>(null)
  return (
    <>
      <DropdownMenu trigger={<IconButton icon={Ellipsis} label={`Actions for ${user.user_id}`} />}>
        <MenuItem icon={Pencil} onSelect={() => setAction('edit')}>
          Edit and set limits…
        </MenuItem>
        <MenuItem icon={KeyRound} disabled={user.disabled} onSelect={() => setAction('token')}>
          New token…
        </MenuItem>
        <MenuItem icon={Link2} disabled={user.disabled} onSelect={() => setAction('invite')}>
          New invitation link…
        </MenuItem>
        {own ? null : (
          <>
            <MenuSeparator />
            {user.disabled ? (
              <MenuItem icon={UserCheck} onSelect={() => setAction('enable')}>
                Enable…
              </MenuItem>
            ) : (
              <MenuItem icon={UserX} tone="danger" onSelect={() => setAction('disable')}>
                Disable…
              </MenuItem>
            )}
          </>
        )}
      </DropdownMenu>
      <UserDialog user={user} action={action} onClose={() => setAction(null)} />
    </>
  )
}

interface UserDialogProps {
  user: User
  onClose: () => void
}

/** The dialog of an action for a user. */
function UserDialog({ action, ...rest }: UserDialogProps & { action: UserAction | null }) {
  switch (action) {
    case 'edit':
      return <EditUserDialog {...rest} />
    case 'token':
      return <NewTokenDialog admin owner={rest.user.user_id} onClose={rest.onClose} />
    case 'invite':
      return <InviteAgainDialog {...rest} />
    case 'disable':
    case 'enable':
      return <DisableDialog {...rest} disabled={action === 'disable'} />
    case null:
      return null
    default:
      return action satisfies never
  }
}

function DisableDialog({ user, onClose, disabled }: UserDialogProps & { disabled: boolean }) {
  const { mutateAsync } = useMutation(updateUser)
  return (
    <ConfirmDialog
      onClose={onClose}
      title={disabled ? `Disable ${user.user_id}?` : `Enable ${user.user_id}?`}
      description={
        disabled
          ? 'Their sessions and tokens stop working at once. Their jobs and results are kept.'
          : 'They can sign in again, and their tokens work again.'
      }
      confirmLabel={disabled ? 'Disable' : 'Enable'}
      tone={disabled ? 'danger' : 'primary'}
      onConfirm={async () => {
        await mutateAsync({ handle: user.user_id, disabled })
        toast.success(`${user.user_id} ${disabled ? 'disabled' : 'enabled'}`)
      }}
    />
  )
}

function InviteAgainDialog({ user, onClose }: UserDialogProps) {
  const { mutate, data, error, isPending } = useMutation(updateUser)
  const link = data?.invitation_url ?? null
  return (
    <Dialog
      onClose={onClose}
      title={`New invitation for ${user.user_id}`}
      description="The link lets them set a new password. Earlier invitations stop working."
      footer={
        <>
          <DialogClose>
            <Button>{link === null ? 'Cancel' : 'Done, I copied it'}</Button>
          </DialogClose>
          {link === null ? (
            <Button
              variant="primary"
              loading={isPending}
              onClick={() => mutate({ handle: user.user_id, new_invitation: true })}
            >
              Create link
            </Button>
          ) : null}
        </>
      }
    >
      {link === null ? (
        <FormError error={error?.message ?? null} />
      ) : (
        <InvitationLink handle={user.user_id} url={link} />
      )}
    </Dialog>
  )
}
