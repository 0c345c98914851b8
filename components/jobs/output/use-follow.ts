import { type RefObject, useCallback, useRef, useState } from 'react'

/** A distance to the end below this counts as the end: zoomed pages have fractional pixels. */
const atEnd = 8

export interface Follow {
  following: boolean
  /** There are lines below the view. */
  moreBelow: boolean
  start: () => void
  stop: () => void
  /** Must be called after changes of the content's height. */
  pin: () => void
  onScroll: () => void
}

/**
 * Keeps an element scrolled to its end while its content grows. Scrolling up stops following, scrolling to the end
 * starts it again.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, initially: boolean): Follow {
  const [following, setFollowing] = useState(initially)
  // Scroll events come between renders and need the current value.
  const present = useRef(initially)
  const lastTop = useRef(0)
  const [moreBelow, setMoreBelow] = useState(false)

  const set = useCallback((value: boolean) => {
    present.current = value
    setFollowing(value)
  }, [])
  const pin = useCallback(() => {
    const element = scroller.current
    if (!element) return
    if (present.current) {
      element.scrollTop = element.scrollHeight
      lastTop.current = element.scrollTop
    }
    setMoreBelow(distanceToEnd(element) > atEnd)
  }, [scroller])
  const start = useCallback(() => {
    set(true)
    pin()
  }, [set, pin])
  const stop = useCallback(() => set(false), [set])
  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const { scrollTop } = element
    const distance = distanceToEnd(element)
    // Content that shrinks moves the view up as well, but leaves it at the end.
    const wentUp = scrollTop < lastTop.current - 1 && distance > atEnd
    const cameDown = scrollTop > lastTop.current && distance <= atEnd
    lastTop.current = scrollTop
    setMoreBelow(distance > atEnd)
    if (present.current && wentUp) set(false)
    if (!present.current && cameDown) set(true)
  }, [scroller, set])

  return { following, moreBelow, start, stop, pin, onScroll }
}

function distanceToEnd({ scrollTop, scrollHeight, clientHeight }: HTMLElement): number {
  return scrollHeight - clientHeight - scrollTop
}
