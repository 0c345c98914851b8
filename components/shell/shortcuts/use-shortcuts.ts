import { useEffect, useEffectEvent } from 'react'
import { matchKeys, type Shortcut } from './shortcut-keys'
import { shortcutsAreOn } from './shortcut-setting'

const sequenceTimeoutMs = 1200

/** Elements that handle keys themselves. */
const keyHandlers =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"], [role="dialog"], [role="alertdialog"]'

function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return false
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  return !(event.target instanceof Element && event.target.closest(keyHandlers))
}

/** Runs shortcuts on the whole page. */
export function useShortcuts<Own extends Shortcut>(shortcuts: readonly Own[], run: (shortcut: Own) => void) {
  const match = useEffectEvent((pending: readonly string[], key: string) => {
    const result = matchKeys(pending, key, shortcuts)
    if (result.shortcut) run(result.shortcut)
    return result
  })
  useEffect(() => {
    let pending: readonly string[] = []
    let since = 0
    const press = (event: KeyboardEvent) => {
      if (!isForPage(event) || !shortcutsAreOn()) return
      if (event.timeStamp - since > sequenceTimeoutMs) pending = []
      since = event.timeStamp
      const result = match(pending, event.key)
      pending = result.pending
      if (result.shortcut) event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
