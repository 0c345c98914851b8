'use client'

import { useEffect } from 'react'

/**
 * Marks the page as hydrated (`<html data-hydrated>`): it responds to clicks and keys a moment after it is visible. For
 * browser tests. Rendered last, after all other components have attached their listeners.
 */
export function HydrationMarker() {
  useEffect(() => {
    document.documentElement.dataset.hydrated = ''
  }, [])
  return null
}
