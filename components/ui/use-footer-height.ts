import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Keeps toasts above an element at the bottom of the window: sets `--footer-height` to its height while it exists. An element that
 * is at the bottom only on narrow screens does not count elsewhere.
 */
export function useFooterHeight(): RefObject<HTMLDivElement | null> {
  const footer = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = footer.current
    if (!element) return
    const { style } = document.documentElement
    const update = () => {
      const atBottom = getComputedStyle(element).position !== 'static'
      style.setProperty('--footer-height', `${atBottom ? element.offsetHeight : 0}px`)
    }
    update()
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--footer-height')
    }
  }, [])
  return footer
}
