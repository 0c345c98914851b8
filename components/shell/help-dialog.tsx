import { Dialog } from '../ui/dialog'
import { Kbd } from '../ui/kbd'
import { Switch } from '../ui/switch'
import type { Shortcut } from './shortcut-keys'
import { useShortcutSetting } from './shortcut-setting'

interface HelpDialogProps {
  shortcuts: readonly Shortcut[]
  onClose: () => void
}

/** The shortcuts of every page. */
export function HelpDialog({ shortcuts, onClose }: HelpDialogProps) {
  const [enabled, setEnabled] = useShortcutSetting()
  return (
    <Dialog
      onClose={onClose}
      title="Keyboard shortcuts"
      description="Press the keys in sequence, outside text fields."
    >
      <dl className="mb-4 grid gap-x-8 sm:grid-cols-2">
        {shortcuts.map(({ keys, label }) => (
          <div key={label} className="flex min-h-9 items-center justify-between gap-4 border-b py-1.5">
            <dt className="text-ink text-sm">{label}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch label="Use these shortcuts in this browser" checked={enabled} onCheckedChange={setEnabled} />
    </Dialog>
  )
}
