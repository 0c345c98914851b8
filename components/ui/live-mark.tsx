'use client'

import { useEffect } from 'react'

/**
 * Marks the page as live (`<html data-live>`) once it answers to clicks and keys, which it does a moment after it is seen.
 * For whoever works a page by program. It stands last: what comes before it has begun to listen.
 */
export function LiveMark() {
  useEffect(() => {
    document.documentElement.dataset.live = ''
  }, [])
  return null
}
