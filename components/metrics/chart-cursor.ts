import { useEffect, useState, useSyncExternalStore } from 'react'

/** The place on the x axis that all charts of a page show. */
export interface ChartCursor {
  /** Null: no place. */
  get: () => number | null
  move: (to: number | null) => void
  /** Calls back after each move. Returns a function that ends it. */
  subscribe: (onMove: () => void) => () => void
}

/** A cursor without a place. It is no state of a component, so that a move renders only what shows the values there. */
export function makeChartCursor(): ChartCursor {
  let place: number | null = null
  const listeners = new Set<() => void>()
  return {
    get: () => place,
    move: (to) => {
      if (to === place) return
      place = to
      for (const listener of listeners) listener()
    },
    subscribe: (onMove) => {
      listeners.add(onMove)
      return () => listeners.delete(onMove)
    },
  }
}

/** A cursor for the charts of a page. A finger has no place that it leaves, so a touch outside of the charts clears it. */
export function useChartCursor(): ChartCursor {
  const [cursor] = useState(makeChartCursor)
  useEffect(() => {
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!isChart(target)) cursor.move(null)
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [cursor])
  return cursor
}

/** The place of a cursor. The component renders again after each move. */
export function useCursorPlace({ subscribe, get }: ChartCursor): number | null {
  return useSyncExternalStore(subscribe, get, () => null)
}

/** Returns true for the element of a chart, and for what is in it. */
export function isChart(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-chart]') !== null
}
