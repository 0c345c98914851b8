import { useEffect, useState } from 'react'

/** The scroll position and size of an element. */
export interface ElementView {
  top: number
  left: number
  height: number
  width: number
}

const nothing: ElementView = { top: 0, left: 0, height: 0, width: 0 }

/** Returns the visible part of an element. It changes when the user scrolls, and when the size of the element changes. */
export function useElementView(element: HTMLElement | null): ElementView {
  const [view, setView] = useState(nothing)
  useEffect(() => {
    if (!element) return
    const read = () =>
      setView({
        top: element.scrollTop,
        left: element.scrollLeft,
        height: element.clientHeight,
        width: element.clientWidth,
      })
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    element.addEventListener('scroll', read, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', read)
    }
  }, [element])
  return view
}
