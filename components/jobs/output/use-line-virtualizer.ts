'use client'

import { type ReactVirtualizer, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import type { OutputOptions } from './output-options'
import type { OutputStore } from './output-store'
import type { Follow } from './use-follow'

/** A line's height before it is measured: `leading-5`. */
const lineHeight = 20

interface LineVirtualizerContext {
  scroller: RefObject<HTMLElement | null>
  store: OutputStore
  options: OutputOptions
  follow: Follow
}

/** Which lines are in view, and where: while more come in, while old ones go, and while they change their heights. */
export function useLineVirtualizer(
  context: LineVirtualizerContext,
): ReactVirtualizer<HTMLElement, HTMLDivElement> {
  const { scroller, store, options, follow } = context
  const { filter, wrap } = options
  const { firstLine, generation } = store
  const { pin, following } = follow
  // Lines are known by their numbers: their heights stay right when older ones are dropped or filtered out.
  const getItemKey = useCallback(
    (row: number) => (filter === 'all' ? firstLine + row : store.lineAt(filter, row)),
    [store, filter, firstLine],
  )
  const virtualizer = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: store.count(filter),
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    getItemKey,
    overscan: 20,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    onChange: pin,
  })
  useLayoutEffect(pin)
  useForgetHeights(virtualizer.measure, `${wrap} ${generation}`)
  useKeepPlace(scroller, firstLine, following)
  return virtualizer
}

/** Heights measured under other circumstances are of no use any more. */
function useForgetHeights(forget: () => void, circumstances: string): void {
  const before = useRef(circumstances)
  useLayoutEffect(() => {
    if (before.current === circumstances) return
    before.current = circumstances
    forget()
  }, [forget, circumstances])
}

/** When the oldest lines are dropped, what one is reading stays where it is. */
function useKeepPlace(scroller: RefObject<HTMLElement | null>, firstLine: number, following: boolean): void {
  const before = useRef(firstLine)
  useLayoutEffect(() => {
    const dropped = firstLine - before.current
    before.current = firstLine
    if (scroller.current && !following && dropped > 0) scroller.current.scrollTop -= dropped * lineHeight
  }, [scroller, firstLine, following])
}
