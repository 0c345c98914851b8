'use client'

import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** This site's address as the reader's browser reaches it; a placeholder until the page runs there. */
export function useOrigin(): string {
  return useSyncExternalStore(
    never,
    () => window.location.origin,
    () => 'http://SERVER',
  )
}
