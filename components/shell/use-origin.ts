'use client'

import { useSyncExternalStore } from 'react'

const noSubscription = () => () => {}

/** The site's origin in the reader's browser; a placeholder before hydration. */
export function useOrigin(): string {
  return useSyncExternalStore(
    noSubscription,
    () => window.location.origin,
    () => 'http://SERVER',
  )
}
