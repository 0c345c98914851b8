'use client'

import { KeyRound, LogOut, Settings } from 'lucide-react'
import { signOut } from 'next-auth/react'
import { MenuItem, MenuSeparator } from '../ui/dropdown-menu'
import { UserMenu } from '../ui/user-menu'

/** Ends the session in this browser. A full load follows, so that nothing of it stays in memory. */
export function leave(): void {
  void signOut({ callbackUrl: '/sign-in' })
}

/** Who is signed in, and what belongs to them. */
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
      <MenuItem icon={LogOut} onSelect={leave}>
        Sign out
      </MenuItem>
    </UserMenu>
  )
}
