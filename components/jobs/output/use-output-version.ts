import { useCallback, useSyncExternalStore } from 'react'
import type { OutputStore } from './output-store'

// Each change makes the list count all of its lines. With 500,000 lines, twenty changes per second took 56 % of a core,
// ten took 25 %. Both look the same.
const manyLines = 100_000
const manyLinesPauseMs = 100

/** The store's version. Renders at most once per frame. */
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
      const unsubscribe = store.subscribe(() => {
        if (timer !== undefined || frame !== undefined) return
        const pause = store.lines.count('all') > manyLines ? manyLinesPauseMs : 0
        const wait = last + pause - performance.now()
        if (wait > 0) timer = setTimeout(draw, wait)
        else draw()
      })
      return () => {
        unsubscribe()
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
