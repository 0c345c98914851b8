import { Bookmark, Keyboard, LogOut, Plus } from 'lucide-react'
import { useTheme } from 'next-themes'
import type { EngineName } from '@/lib/contract/cluster/engine'
import { engineNavigation, useFeatureLinks } from '../../features'
import { themes } from '../../ui/theme-toggle'
import { useOpenPage } from '../connection/use-open-page'
import { adminNavigation, mainNavigation } from '../navigation'
import { leaveSite } from '../sign-out'
import type { Command } from './command'

interface SiteCommandOptions {
  admin: boolean
  /** The engine: gpuq itself, or another one. */
  engine: EngineName
  onHelp: () => void
}

/** The pages, the actions of every page, and the themes. */
export function useSiteCommands({ admin, engine, onHelp }: SiteCommandOptions): Command[] {
  const openPage = useOpenPage()
  const { setTheme } = useTheme()
  const pages = [...mainNavigation, ...(admin ? [...adminNavigation, ...engineNavigation(engine)] : [])]
  const views = useFeatureLinks(admin)
  return [
    ...views.map(({ id, href, label }) => ({
      id,
      group: 'Views' as const,
      label,
      icon: Bookmark,
      run: () => openPage(href),
    })),
    ...pages.map(({ href, label, icon, ...more }) => ({
      id: href,
      group: 'Pages' as const,
      label,
      icon,
      ...('keys' in more && more.keys ? { keys: more.keys } : {}),
      run: () => openPage(href),
    })),
    {
      id: 'new',
      group: 'Actions',
      label: 'New job',
      words: 'submit',
      icon: Plus,
      keys: ['n'],
      run: () => openPage('/submit'),
    },
    { id: 'help', group: 'Actions', label: 'Keyboard shortcuts', icon: Keyboard, keys: ['?'], run: onHelp },
    {
      id: 'sign-out',
      group: 'Actions',
      label: 'Sign out',
      words: 'log out',
      icon: LogOut,
      run: () => void leaveSite(),
    },
    ...themes.map(({ value, label, icon }) => ({
      id: value,
      group: 'Theme' as const,
      label: `${label} theme`,
      icon,
      run: () => setTheme(value),
    })),
  ]
}
