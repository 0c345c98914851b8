import { Bookmark, Keyboard, Plus, Search } from 'lucide-react'
import NextLink from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import type { EngineName } from '@/lib/contract/cluster/engine'
import { engineNavigation, useFeatureLinks } from '../features'
import { buttonStyles } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { cn } from '../ui/class-names'
import { IconButton } from '../ui/icon-button'
import { Kbd } from '../ui/kbd'
import { ThemeToggle } from '../ui/theme-toggle'
import { Brand } from './brand'
import { adminNavigation, isActive, mainNavigation, type NavigationItem } from './navigation'
import { describeKey } from './shortcuts/shortcut-keys'
import { paletteShortcut } from './shortcuts/shortcut-table'

interface SidebarProps {
  admin: boolean
  /** The engine: gpuq itself, or another one. */
  engine: EngineName
  /** The account menu. */
  account: ReactNode
  onHelp: () => void
  onPalette: () => void
}

/** The navigation on wide screens. */
export function Sidebar({ admin, engine, account, onHelp, onPalette }: SidebarProps) {
  return (
    <header className="sticky top-0 hidden h-dvh w-56 shrink-0 flex-col border-r bg-sunken lg:flex">
      <div className="flex h-14 items-center px-4">
        <Brand />
      </div>
      <div className="flex flex-col gap-2 px-3 pb-3">
        <ButtonLink
          icon={Plus}
          href="/submit"
          variant="primary"
          className="w-full justify-start"
          aria-keyshortcuts="n"
        >
          New job
          <Kbd className="ml-auto border-current/40 bg-transparent text-current">n</Kbd>
        </ButtonLink>
        <button
          type="button"
          onClick={onPalette}
          aria-keyshortcuts="Control+K Meta+K"
          className={cn(buttonStyles(), 'w-full justify-start text-muted')}
        >
          <Search aria-hidden />
          Find
          <span className="ml-auto flex gap-1">
            {describeKey(paletteShortcut.keys[0]).map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </span>
        </button>
      </div>
      <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto px-3 pb-3">
        <NavigationLinks items={mainNavigation} />
        <SavedViews admin={admin} />
        {admin ? (
          <>
            <h2 className="px-2 pt-5 pb-1 font-medium text-subtle text-xs">Admin</h2>
            <NavigationLinks items={[...adminNavigation, ...engineNavigation(engine)]} />
          </>
        ) : null}
      </nav>
      <div className="flex items-center gap-0.5 border-t p-2">
        <div className="min-w-0 flex-1">{account}</div>
        <IconButton icon={Keyboard} label="Keyboard shortcuts" shortcut="?" onClick={onHelp} />
        <ThemeToggle />
      </div>
    </header>
  )
}

function SavedViews({ admin }: { admin: boolean }) {
  const views = useFeatureLinks(admin)
  if (views.length === 0) return null
  return (
    <>
      <h2 className="px-2 pt-5 pb-1 font-medium text-subtle text-xs">Views</h2>
      <ul className="flex flex-col gap-px">
        {views.map(({ id, href, label, active }) => (
          <li key={id}>
            <NextLink
              href={href}
              aria-current={active ? 'page' : undefined}
              title={label}
              className={cn(
                linkStyles,
                active ? 'bg-pressed text-ink' : 'text-muted hover:bg-hover hover:text-ink',
              )}
            >
              <Bookmark
                aria-hidden
                className={cn('size-4 shrink-0', active ? 'text-accent-ink' : 'text-subtle')}
              />
              <span className="min-w-0 truncate">{label}</span>
            </NextLink>
          </li>
        ))}
      </ul>
    </>
  )
}

const linkStyles = 'flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-sm transition-colors'

function NavigationLinks({ items }: { items: readonly NavigationItem[] }) {
  const pathname = usePathname()
  return (
    <ul className="flex flex-col gap-px">
      {items.map(({ href, label, icon: Icon, keys }) => {
        const active = isActive(pathname, href)
        return (
          <li key={href}>
            <NextLink
              href={href}
              aria-current={active ? 'page' : undefined}
              aria-keyshortcuts={keys?.join(' ')}
              className={cn(
                linkStyles,
                active ? 'bg-pressed text-ink' : 'text-muted hover:bg-hover hover:text-ink',
              )}
            >
              <Icon
                aria-hidden
                className={cn('size-4 shrink-0', active ? 'text-accent-ink' : 'text-subtle')}
              />
              {label}
            </NextLink>
          </li>
        )
      })}
    </ul>
  )
}
