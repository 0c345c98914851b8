'use client'

import { browserSettings } from '../features'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { Segmented } from '../ui/segmented'
import { Switch } from '../ui/switch'
import { useThemeChoice } from '../ui/theme-toggle'
import { useShortcutSetting } from './shortcuts/shortcut-setting'

/** Theme, shortcuts and notifications in this browser. */
export function AppearancePanel() {
  const theme = useThemeChoice()
  const [shortcuts, setShortcuts] = useShortcutSetting()
  return (
    <Panel>
      <PanelHeader title="This browser" description="Saved in this browser, not in your account." />
      <PanelBody className="flex flex-col items-start gap-4">
        <Segmented {...theme} value={theme.value ?? 'system'} />
        <Switch
          label="Keyboard shortcuts"
          description="Single keys, such as n for a new job. Press ? to see all of them."
          checked={shortcuts}
          onCheckedChange={setShortcuts}
        />
        <browserSettings.Notifications />
      </PanelBody>
    </Panel>
  )
}
