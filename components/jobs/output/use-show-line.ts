'use client'

import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { plainText } from './ansi/ansi-parse'
import type { LineRange } from './line-hash'
import { shownCharacters } from './output-line'
import type { OutputListHandle } from './output-list'
import type { OutputStore } from './output-store'
import type { FoundMatch } from './search/output-search'

interface ShowLineContext {
  list: RefObject<OutputListHandle | null>
  scroller: RefObject<HTMLElement | null>
  store: OutputStore
  /** The lines that the page's address points at. */
  address: LineRange | null
}

interface ShowLine {
  showLine: (line: number) => void
  showMatch: (match: FoundMatch) => void
}

/** Scrolls to lines and matches, and once to the line in the page's address after it has loaded. */
export function useShowLine({ list, scroller, store, address }: ShowLineContext): ShowLine {
  const showLine = useCallback((line: number) => list.current?.show(line), [list])
  const showMatch = useCallback(
    ({ line }: FoundMatch) => {
      if (plainText(store.lines.read(line)?.text ?? '').length > shownCharacters) list.current?.expand(line)
      list.current?.show(line)
      revealSideways(scroller, 20)
    },
    [list, scroller, store],
  )

  const shown = useRef<LineRange | null>(null)
  const arrived = address !== null && address.from < store.lines.end
  useEffect(() => {
    if (!address || !arrived || shown.current === address) return
    shown.current = address
    showLine(address.from)
  }, [address, arrived, showLine])
  return { showLine, showMatch }
}

/** Scrolls sideways to a match in a long line. Its row is rendered within the next frames. */
function revealSideways(scroller: RefObject<HTMLElement | null>, frames: number): void {
  requestAnimationFrame(() => {
    const match = scroller.current?.querySelector('[data-current-match]')
    if (match) match.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    else if (frames > 0) revealSideways(scroller, frames - 1)
  })
}
