import { useEffect, useEffectEvent } from 'react'
import { keyOf } from '../shortcuts/shortcut-keys'
import { paletteShortcut } from '../shortcuts/shortcut-table'

/** Terminals send all keys to their program, and a dialog must be answered first. */
const keyHandlers = '.xterm, [role="dialog"], [role="alertdialog"]'

/** Opens the command palette by its shortcut, also from text fields. */
export function usePaletteKey(onOpen: () => void): void {
  const open = useEffectEvent(onOpen)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || keyOf(event) !== paletteShortcut.keys[0]) return
      if (event.target instanceof Element && event.target.closest(keyHandlers)) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
