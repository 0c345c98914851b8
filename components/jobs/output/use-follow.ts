'use client'

import { type RefObject, useCallback, useRef, useState } from 'react'

/** Nearer to the end than this counts as being there: zoomed pages have fractions of pixels. */
const atEnd = 8

export interface Follow {
  following: boolean
  /** There is more below what is in view. */
  moreBelow: boolean
  start: () => void
  stop: () => void
  /** To call after anything that may have changed the height of the content. */
  pin: () => void
  onScroll: () => void
}

/**
 * Keeps a scrolling element at its end while its content grows. Scrolling up lets go, scrolling back to the end takes
 * hold again.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, initially: boolean): Follow {
  const [following, setFollowing] = useState(initially)
  // Scroll events come between renders: they need the present value, not that of the last render.
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
