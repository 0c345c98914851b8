'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useState } from 'react'
import { AccountMenu } from './account-menu'
import { HelpDialog } from './help-dialog'
import { adminPlaces, ownPlaces, type Place } from './navigation'
import { Rail } from './rail'
import type { Shortcut } from './shortcut-keys'
import { TopBar } from './top-bar'
import { useShortcuts } from './use-shortcuts'

interface SiteShortcut extends Shortcut {
  /** Where it leads; left out for the one that opens the help. */
  href?: string
}

const newJob: SiteShortcut = { keys: ['n'], label: 'New job', href: '/submit' }
const help: SiteShortcut = { keys: ['?'], label: 'Keyboard shortcuts' }

function toShortcuts(places: readonly Place[]): SiteShortcut[] {
  return places.flatMap(({ keys, label, href }) => (keys ? [{ keys, label, href }] : []))
}

const ownShortcuts = [newJob, ...toShortcuts(ownPlaces), help]
const adminShortcuts = [newJob, ...toShortcuts(ownPlaces), ...toShortcuts(adminPlaces), help]

interface AppShellProps {
  handle: string
  admin: boolean
  children: ReactNode
}

/** What stands around every page of someone who is signed in. */
export function AppShell({ handle, admin, children }: AppShellProps) {
  const router = useRouter()
  const [helpOpen, setHelpOpen] = useState(false)
  const shortcuts = admin ? adminShortcuts : ownShortcuts
  useShortcuts(shortcuts, ({ href }) => {
    if (href) router.push(href)
    else setHelpOpen(true)
  })
  return (
    <div className="min-h-dvh lg:flex">
      <Rail
        admin={admin}
        account={<AccountMenu handle={handle} admin={admin} />}
        onHelp={() => setHelpOpen(true)}
      />
      <TopBar handle={handle} admin={admin} />
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <div className="mx-auto max-w-7xl px-4 py-6 sm:px-6 lg:px-8">{children}</div>
      </main>
      <HelpDialog open={helpOpen} onOpenChange={setHelpOpen} shortcuts={shortcuts} />
    </div>
  )
}
