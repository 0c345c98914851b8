'use client'

import { useCallback, useSyncExternalStore } from 'react'
import type { OutputStore } from './output-store'

/** The store's version. Renders again at most once a frame, however many records come in between. */
export function useOutputVersion(store: OutputStore): number {
  const subscribe = useCallback(
    (wake: () => void) => {
      let frame: number | undefined
      const leave = store.subscribe(() => {
        frame ??= requestAnimationFrame(() => {
          frame = undefined
          wake()
        })
      })
      return () => {
        leave()
        if (frame !== undefined) cancelAnimationFrame(frame)
      }
    },
    [store],
  )
  return useSyncExternalStore(
    subscribe,
    () => store.version,
    () => 0,
  )
}
