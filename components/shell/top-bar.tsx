import { Bookmark, Menu, Plus, Search } from 'lucide-react'
import type { EngineName } from '@/lib/contract/cluster/engine'
import { engineNavigation, useFeatureLinks } from '../features'
import { ButtonLink } from '../ui/button-link'
import { DropdownMenu, MenuItem, MenuLabel, MenuSeparator } from '../ui/dropdown-menu'
import { IconButton } from '../ui/icon-button'
import { ThemeToggle } from '../ui/theme-toggle'
import { AccountHeading, SignOutItem } from './account-menu'
import { Brand } from './brand'
import { adminNavigation, mainNavigation, type NavigationItem } from './navigation'
import { paletteShortcut } from './shortcuts/shortcut-table'

interface TopBarProps {
  handle: string
  admin: boolean
  /** The engine: gpuq itself, or another one. */
  engine: EngineName
  onPalette: () => void
}

/** The navigation on narrow screens. */
export function TopBar({ handle, admin, engine, onPalette }: TopBarProps) {
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center gap-1 border-b bg-canvas px-4 lg:hidden">
      <div className="flex-1">
        <Brand />
      </div>
      <ButtonLink icon={Plus} href="/submit" variant="primary" size="sm">
        New job
      </ButtonLink>
      <IconButton icon={Search} label={paletteShortcut.label} size="lg" onClick={onPalette} />
      <ThemeToggle />
      <nav aria-label="Main">
        <DropdownMenu trigger={<IconButton icon={Menu} label="Menu" size="lg" />} className="w-60">
          <AccountHeading handle={handle} admin={admin} />
          {toMenuItems(mainNavigation)}
          <ViewItems admin={admin} />
          {admin ? (
            <>
              <MenuSeparator />
              <MenuLabel>Admin</MenuLabel>
              {toMenuItems([...adminNavigation, ...engineNavigation(engine)])}
            </>
          ) : null}
          <MenuSeparator />
          <SignOutItem />
        </DropdownMenu>
      </nav>
    </header>
  )
}

function ViewItems({ admin }: { admin: boolean }) {
  const views = useFeatureLinks(admin)
  if (views.length === 0) return null
  return (
    <>
      <MenuSeparator />
      <MenuLabel>Views</MenuLabel>
      {views.map(({ id, href, label }) => (
        <MenuItem key={id} href={href} icon={Bookmark}>
          {label}
        </MenuItem>
      ))}
    </>
  )
}

function toMenuItems(items: readonly NavigationItem[]) {
  return items.map(({ href, label, icon }) => (
    <MenuItem key={href} href={href} icon={icon}>
      {label}
    </MenuItem>
  ))
}
