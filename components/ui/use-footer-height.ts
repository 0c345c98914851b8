import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Keeps toasts above an element at the bottom of the window: sets `--footer-height` to its height while it exists. */
export function useFooterHeight(): RefObject<HTMLDivElement | null> {
  const footer = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = footer.current
    if (!element) return
    const { style } = document.documentElement
    const update = () => style.setProperty('--footer-height', `${element.offsetHeight}px`)
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
