'use client'

import { KeyRound, LogOut, Settings } from 'lucide-react'
import { signOut } from 'next-auth/react'
import { MenuItem, MenuSeparator } from '../ui/dropdown-menu'
import { UserMenu } from '../ui/user-menu'

/** Ends the session in this browser. A full page load clears its data from memory. */
export function endSession(): void {
  void signOut({ callbackUrl: '/sign-in' })
}

/** The signed-in user and their pages. */
export function AccountMenu({ handle, admin }: { handle: string; admin: boolean }) {
  return (
    <UserMenu handle={handle} {...(admin ? { role: 'admin' } : {})}>
      <MenuItem icon={Settings} href="/settings">
        Settings
      </MenuItem>
      <MenuItem icon={KeyRound} href="/tokens">
        Tokens
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={endSession}>
        Sign out
      </MenuItem>
    </UserMenu>
  )
}
