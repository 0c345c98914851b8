import { type RefObject, useEffect, useRef } from 'react'

/** The first page of a visit is read from its start, as the browser does. */
let firstPage = true

/**
 * Focuses the heading of a page that replaces another one if the focus was lost: the element that had it, such as the
 * button that submitted a job, is gone. Screen readers then announce the new page.
 */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!firstPage && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true })
    firstPage = false
  }, [])
  return heading
}
