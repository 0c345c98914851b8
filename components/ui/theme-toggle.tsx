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
  { value: 'system', label: 'System', icon: Monitor },
] as const

const noSubscription = () => () => {}

/** Selects the light, dark or system theme. */
export function ThemeToggle() {
  const { theme, setTheme } = useTheme()
  // The server does not know the theme. The selection appears after hydration.
  const hydrated = useSyncExternalStore(
    noSubscription,
    () => true,
    () => false,
  )
  const chosen = hydrated ? themes.find((candidate) => candidate === theme) : undefined
  return (
    <DropdownMenu trigger={<IconButton icon={SunMoon} label="Theme" />}>
      <MenuChoice label="Theme" value={chosen} options={options} onValueChange={setTheme} />
    </DropdownMenu>
  )
}
