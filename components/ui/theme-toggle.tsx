'use client'

import { Monitor, Moon, Sun, SunMoon } from 'lucide-react'
import { useTheme } from 'next-themes'
import { useSyncExternalStore } from 'react'
import { DropdownMenu, MenuChoice } from './dropdown-menu'
import { IconButton } from './icon-button'

const themes = ['light', 'dark', 'system'] as const
const options = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'Like the system', icon: Monitor },
] as const

const never = () => () => {}

/** Chooses light, dark, or what the system says. */
export function ThemeToggle() {
  const { theme, setTheme } = useTheme()
  // The server does not know the choice: it is marked only once the page runs in the browser.
  const inBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  const chosen = inBrowser ? themes.find((candidate) => candidate === theme) : undefined
  return (
    <DropdownMenu trigger={<IconButton icon={SunMoon} label="Theme" />}>
      <MenuChoice label="Theme" value={chosen} options={options} onValueChange={setTheme} />
    </DropdownMenu>
  )
}
