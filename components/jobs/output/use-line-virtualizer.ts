import { type ReactVirtualizer, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import type { OutputStore } from './output-store'
import type { OutputOptions } from './output-toolbar'
import type { Follow } from './use-follow'

/** A line's height before it is measured: `leading-5`. */
const lineHeight = 20

interface LineVirtualizerContext {
  scroller: RefObject<HTMLElement | null>
  store: OutputStore
  options: OutputOptions
  follow: Follow
}

/** The visible lines and their positions, while lines are added, dropped and resized. */
export function useLineVirtualizer(
  context: LineVirtualizerContext,
): ReactVirtualizer<HTMLElement, HTMLDivElement> {
  const { scroller, store, options, follow } = context
  const { filter, wrap } = options
  const { generation } = store
  const firstLine = store.lines.first
  const { pin, following } = follow
  // Keyed by line number, so that heights stay correct when lines are dropped or filtered.
  const getItemKey = useCallback(
    (row: number) => (filter === 'all' ? firstLine + row : store.lines.numberAt(filter, row)),
    [store, filter, firstLine],
  )
  const virtualizer = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: store.lines.count(filter),
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    getItemKey,
    overscan: 20,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    onChange: pin,
  })
  useLayoutEffect(pin)
  useResetHeights(virtualizer.measure, `${wrap} ${generation}`)
  useKeepPosition(scroller, store, following)
  return virtualizer
}

/** Forgets measured heights when the layout changes. */
function useResetHeights(forget: () => void, layoutKey: string): void {
  const before = useRef(layoutKey)
  useLayoutEffect(() => {
    if (before.current === layoutKey) return
    before.current = layoutKey
    forget()
  }, [forget, layoutKey])
}

/** Keeps the visible lines in place when the oldest lines are dropped, or come before the last lines of the output. */
function useKeepPosition(
  scroller: RefObject<HTMLElement | null>,
  { lines: { first, end }, isTail }: OutputStore,
  following: boolean,
): void {
  const before = useRef({ first, end, isTail })
  useLayoutEffect(() => {
    const shown = before.current
    before.current = { first, end, isTail }
    const added =
      shown.isTail && !isTail ? end - first - (shown.end - shown.first) : Math.min(0, shown.first - first)
    if (scroller.current && !following && added !== 0) scroller.current.scrollTop += added * lineHeight
  }, [scroller, first, end, isTail, following])
}
