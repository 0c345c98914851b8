import { Switch } from '../ui/switch'
import { useBrowserNotifications } from './browser-setting'

/** Turns notifications of this browser on or off. */
export function BrowserSwitch() {
  const [state, change] = useBrowserNotifications()
  return (
    <Switch
      label="Notify me when my jobs end"
      description={
        state === 'blocked'
          ? 'This browser blocks notifications of this site. Allow them in its site settings, then reload the page.'
          : 'While gpuq is open in a tab, also in the background.'
      }
      checked={state === 'on'}
      disabled={state === 'blocked'}
      onCheckedChange={(on) => void change(on)}
    />
  )
}
