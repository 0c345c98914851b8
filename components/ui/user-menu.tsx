'use client'

import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from './badge'
import { Button } from './button'
import { DropdownMenu, MenuSeparator } from './dropdown-menu'

interface UserMenuProps {
  /** How the user is called everywhere. */
  handle: string
  email?: string | null
  /** Shown as a badge where it is worth saying. */
  role?: string
  /** {@link MenuItem}s. */
  children: ReactNode
}

/** Who is signed in, and what belongs to them. */
export function UserMenu({ handle, email, role, children }: UserMenuProps) {
  return (
    <DropdownMenu
      className="w-60"
      trigger={
        <Button variant="ghost" className="max-w-full">
          <span className="min-w-0 truncate">{handle}</span>
          <ChevronDown aria-hidden className="text-subtle" />
        </Button>
      }
    >
      <div className="flex items-center gap-2 px-2 py-1.5">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium text-ink text-sm">{handle}</p>
          {email ? <p className="truncate text-subtle text-xs">{email}</p> : null}
        </div>
        {role ? <Badge>{role}</Badge> : null}
      </div>
      <MenuSeparator />
      {children}
    </DropdownMenu>
  )
}
