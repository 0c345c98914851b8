'use client'

import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from './badge'
import { Button } from './button'
import { DropdownMenu, MenuSeparator } from './dropdown-menu'

interface UserMenuProps {
  /** The user id. */
  handle: string
  /** Shown as a badge. */
  role?: string
  /** {@link MenuItem}s. */
  children: ReactNode
}

/** The signed-in user and their pages. */
export function UserMenu({ handle, role, children }: UserMenuProps) {
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
        <p className="min-w-0 flex-1 truncate font-medium text-ink text-sm">{handle}</p>
        {role ? <Badge>{role}</Badge> : null}
      </div>
      <MenuSeparator />
      {children}
    </DropdownMenu>
  )
}
