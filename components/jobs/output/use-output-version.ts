'use client'

import { useCallback, useSyncExternalStore } from 'react'
import type { OutputStore } from './output-store'

// The list counts through all of its lines at each change. With 500,000 lines and twenty changes a second that took
// 56 % of a core; at ten a second, which is as lively to the eye, 25 %.
const manyLines = 100_000
const pauseForManyMs = 100

/** The store's version. Renders again at most once a frame, however many records come in between. */
export function useOutputVersion(store: OutputStore): number {
  const subscribe = useCallback(
    (wake: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      let frame: number | undefined
      let last = 0
      const draw = () => {
        frame = requestAnimationFrame((now) => {
          frame = undefined
          timer = undefined
          last = now
          wake()
        })
      }
      const leave = store.subscribe(() => {
        if (timer !== undefined || frame !== undefined) return
        const pause = store.count('all') > manyLines ? pauseForManyMs : 0
        const wait = last + pause - performance.now()
        if (wait > 0) timer = setTimeout(draw, wait)
        else draw()
      })
      return () => {
        leave()
        clearTimeout(timer)
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
