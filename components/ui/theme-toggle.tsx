import { Monitor, Moon, Sun, SunMoon } from 'lucide-react'
import { useTheme } from 'next-themes'
import { DropdownMenu, MenuChoice } from './dropdown-menu'
import { IconButton } from './icon-button'
import { useHydrated } from './use-hydrated'

export const themes = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'System', icon: Monitor },
] as const

/** The props of a control that selects the theme. The server does not know the theme, so hydration selects it. */
export function useThemeChoice() {
  const { theme, setTheme } = useTheme()
  const hydrated = useHydrated()
  const chosen = hydrated ? themes.find(({ value }) => value === theme) : undefined
  return { label: 'Theme', value: chosen?.value, options: themes, onValueChange: setTheme }
}

/** Selects the light, dark or system theme. */
export function ThemeToggle() {
  return (
    <DropdownMenu trigger={<IconButton icon={SunMoon} label="Theme" />}>
      <MenuChoice {...useThemeChoice()} />
    </DropdownMenu>
  )
}
