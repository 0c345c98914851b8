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
  { value: 'system', label: 'Like the system', icon: Monitor },
] as const

const never = () => () => {}

/** How gpuq looks and listens in this browser. */
export function AppearancePanel() {
  const { theme, setTheme } = useTheme()
  const [shortcuts, turnShortcuts] = useShortcutSetting()
  // The server does not know the choice: it is marked only once the page runs in the browser.
  const inBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  const chosen = inBrowser ? themes.find(({ value }) => value === theme)?.value : undefined
  return (
    <Panel>
      <PanelHeader title="This browser" description="Kept here, not with your account." />
      <PanelBody className="flex flex-col items-start gap-4">
        <Segmented label="Theme" value={chosen ?? 'system'} onValueChange={setTheme} options={themes} />
        <Switch
          label="Keyboard shortcuts"
          description="Single keys such as n for a new job. Press ? to see them all."
          checked={shortcuts}
          onCheckedChange={turnShortcuts}
        />
      </PanelBody>
    </Panel>
  )
}
