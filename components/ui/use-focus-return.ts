import { useRef } from 'react'

/**
 * The props of a dialog's content that return the focus at the end: to the element that opened it, or to the one that had the
 * focus. Radix returns it only to its own trigger.
 */
export function useFocusReturn(opener: HTMLElement | null) {
  const focused = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      focused.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => {
      const target = opener?.isConnected ? opener : focused.current
      if (!(target instanceof HTMLElement)) return
      event.preventDefault()
      target.focus()
    },
  }
}
