import { Dialog } from '../ui/dialog'
import { Kbd } from '../ui/kbd'
import { Switch } from '../ui/switch'
import { describeKey } from './shortcuts/shortcut-keys'
import { useShortcutSetting } from './shortcuts/shortcut-setting'
import type { shortcutGroups } from './shortcuts/shortcut-table'

interface HelpDialogProps {
  groups: ReturnType<typeof shortcutGroups>
  onClose: () => void
}

/** All shortcuts of the site. */
export function HelpDialog({ groups, onClose }: HelpDialogProps) {
  const [enabled, setEnabled] = useShortcutSetting()
  return (
    <Dialog
      onClose={onClose}
      title="Keyboard shortcuts"
      description="Outside text fields. Press g and a letter one after the other."
    >
      {groups.map(({ title, shortcuts }) => (
        <section key={title} aria-label={title} className="mb-4">
          <h3 className="font-medium text-subtle text-xs">{title}</h3>
          <dl className="grid gap-x-8 sm:grid-cols-2">
            {shortcuts.map(({ keys, label }) => (
              <div key={label} className="flex min-h-9 items-center justify-between gap-4 border-b py-1.5">
                <dt className="text-ink text-sm">{label}</dt>
                <dd className="flex gap-1">
                  {keys.flatMap(describeKey).map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Switch
        label="Use the shortcuts of every page in this browser"
        checked={enabled}
        onCheckedChange={setEnabled}
      />
    </Dialog>
  )
}
