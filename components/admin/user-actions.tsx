'use client'

import { Ellipsis, KeyRound, Link2, Pencil, UserCheck, UserX } from 'lucide-react'
import type { User } from '@/lib/contract/access'
import { DropdownMenu, MenuItem, MenuSeparator } from '../ui/dropdown-menu'
import { IconButton } from '../ui/icon-button'

export type UserAction = 'edit' | 'token' | 'invite' | 'disable' | 'enable'

interface UserActionsProps {
  user: User
  own: boolean
  onChoose: (action: UserAction) => void
}

/** The admin actions for a user. Admins cannot disable themselves. */
export function UserActions({ user, own, onChoose }: UserActionsProps) {
  return (
    <DropdownMenu trigger={<IconButton icon={Ellipsis} label={`Actions for ${user.user_id}`} />}>
      <MenuItem icon={Pencil} onSelect={() => onChoose('edit')}>
        Edit and set limits…
      </MenuItem>
      <MenuItem icon={KeyRound} disabled={user.disabled} onSelect={() => onChoose('token')}>
        New token…
      </MenuItem>
      <MenuItem icon={Link2} disabled={user.disabled} onSelect={() => onChoose('invite')}>
        New invitation link…
      </MenuItem>
      {own ? null : (
        <>
          <MenuSeparator />
          {user.disabled ? (
            <MenuItem icon={UserCheck} onSelect={() => onChoose('enable')}>
              Enable…
            </MenuItem>
          ) : (
            <MenuItem icon={UserX} tone="danger" onSelect={() => onChoose('disable')}>
              Disable…
            </MenuItem>
          )}
        </>
      )}
    </DropdownMenu>
  )
}
