'use client'

import { LogOut, Menu, Plus } from 'lucide-react'
import { Badge } from '../ui/badge'
import { ButtonLink } from '../ui/button-link'
import { DropdownMenu, MenuItem, MenuLabel, MenuSeparator } from '../ui/dropdown-menu'
import { IconButton } from '../ui/icon-button'
import { ThemeToggle } from '../ui/theme-toggle'
import { endSession } from './account-menu'
import { Brand } from './brand'
import { adminNavigation, mainNavigation } from './navigation'

/** The navigation on narrow screens. */
export function TopBar({ handle, admin }: { handle: string; admin: boolean }) {
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center gap-1 border-b bg-canvas px-4 lg:hidden">
      <div className="flex-1">
        <Brand />
      </div>
      <ButtonLink href="/submit" variant="primary" size="sm">
        <Plus aria-hidden />
        New job
      </ButtonLink>
      <ThemeToggle />
      <nav aria-label="Main">
        <DropdownMenu trigger={<IconButton icon={Menu} label="Menu" size="lg" />} className="w-60">
          <div className="flex items-center gap-2 px-2 py-1.5">
            <p className="min-w-0 flex-1 truncate font-medium text-ink text-sm">{handle}</p>
            {admin ? <Badge>admin</Badge> : null}
          </div>
          <MenuSeparator />
          {mainNavigation.map(({ href, label, icon }) => (
            <MenuItem key={href} href={href} icon={icon}>
              {label}
            </MenuItem>
          ))}
          {admin ? (
            <>
              <MenuSeparator />
              <MenuLabel>Admin</MenuLabel>
              {adminNavigation.map(({ href, label, icon }) => (
                <MenuItem key={href} href={href} icon={icon}>
                  {label}
                </MenuItem>
              ))}
            </>
          ) : null}
          <MenuSeparator />
          <MenuItem icon={LogOut} onSelect={endSession}>
            Sign out
          </MenuItem>
        </DropdownMenu>
      </nav>
    </header>
  )
}
