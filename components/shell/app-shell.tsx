'use client'

import dynamic from 'next/dynamic'
import { type ReactNode, useState } from 'react'
import type { EngineName } from '@/lib/contract/cluster/engine'
import { onEveryPage, pagesOfEngine } from '../features'
import { LowDiskBanner } from '../storage/low-disk-banner'
import { AccountMenu } from './account-menu'
import { ConnectionNotice } from './connection/connection-notice'
import { useOpenPage } from './connection/use-open-page'
import { collectEarlyKeys, takeEarlyKeys } from './palette/early-keys'
import { usePaletteKey } from './palette/use-palette-key'
import { shortcutGroups, siteShortcuts } from './shortcuts/shortcut-table'
import { useShortcuts } from './shortcuts/use-shortcuts'
import { Sidebar } from './sidebar'
import { TopBar } from './top-bar'

/** Loaded when it is opened first. */
const CommandPalette = dynamic(
  () =>
    import('./palette/command-palette')
      .then((module) => module.CommandPalette)
      .catch((error) => {
        takeEarlyKeys()
        throw error
      }),
  { ssr: false },
)

const HelpDialog = dynamic(() => import('./help-dialog').then((module) => module.HelpDialog), { ssr: false })

interface AppShellProps {
  handle: string
  admin: boolean
  /** The engine: gpuq itself, or another one. */
  engine: EngineName
  children: ReactNode
}

/** The frame of every page for a signed-in user. */
export function AppShell({ handle, admin, engine, children }: AppShellProps) {
  const openPage = useOpenPage()
  const EngineBanner = pagesOfEngine(engine)?.Banner
  const [helpOpen, setHelpOpen] = useState(false)
  const [paletteOpen, setPaletteOpen] = useState(false)
  const openPalette = () => {
    collectEarlyKeys()
    setPaletteOpen(true)
  }
  usePaletteKey(openPalette)
  useShortcuts(siteShortcuts(admin), ({ href }) => {
    if (!href) setHelpOpen(true)
    else openPage(href)
  })
  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <Sidebar
        admin={admin}
        engine={engine}
        account={<AccountMenu handle={handle} admin={admin} />}
        onHelp={() => setHelpOpen(true)}
        onPalette={openPalette}
      />
      <TopBar handle={handle} admin={admin} engine={engine} onPalette={openPalette} />
      {/* A column as high as the window, so that a page can fill it. */}
      <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        <div className="mx-auto flex w-full max-w-7xl flex-1 flex-col px-4 py-4 has-data-wide:max-w-none sm:px-6 sm:py-6 lg:px-8">
          <onEveryPage.Announcement />
          {admin ? <LowDiskBanner /> : null}
          {EngineBanner ? <EngineBanner /> : null}
          {children}
        </div>
      </main>
      <ConnectionNotice />
      <onEveryPage.EndedJobs />
      {paletteOpen ? (
        <CommandPalette
          admin={admin}
          engine={engine}
          onHelp={() => setHelpOpen(true)}
          onClose={() => setPaletteOpen(false)}
        />
      ) : null}
      {helpOpen ? <HelpDialog groups={shortcutGroups(admin)} onClose={() => setHelpOpen(false)} /> : null}
    </div>
  )
}
