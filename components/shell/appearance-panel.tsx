'use client'

import { Monitor, Moon, Sun } from 'lucide-react'
import { useTheme } from 'next-themes'
import { useSyncExternalStore } from 'react'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { Segmented } from '../ui/segmented'
import { Switch } from '../ui/switch'
import { useShortcutSetting } from './shortcut-setting'

const themes = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'System', icon: Monitor },
] as const

const noSubscription = () => () => {}

/** Theme and shortcuts in this browser. */
export function AppearancePanel() {
  const { theme, setTheme } = useTheme()
  const [shortcuts, setShortcuts] = useShortcutSetting()
  // The server does not know the theme. The selection appears after hydration.
  const hydrated = useSyncExternalStore(
    noSubscription,
    () => true,
    () => false,
  )
  const chosen = hydrated ? themes.find(({ value }) => value === theme)?.value : undefined
  return (
    <Panel>
      <PanelHeader title="This browser" description="Saved in this browser, not in your account." />
      <PanelBody className="flex flex-col items-start gap-4">
        <Segmented label="Theme" value={chosen ?? 'system'} onValueChange={setTheme} options={themes} />
        <Switch
          label="Keyboard shortcuts"
          description="Single keys, such as n for a new job. Press ? to see all of them."
          checked={shortcuts}
          onCheckedChange={setShortcuts}
        />
      </PanelBody>
    </Panel>
  )
}
