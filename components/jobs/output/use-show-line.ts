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

/** Brings lines and matches into view, and once the line that the address points at, when it has come in. */
export function useShowLine({ list, scroller, store, address }: ShowLineContext): ShowLine {
  const showLine = useCallback((line: number) => list.current?.show(line), [list])
  const showMatch = useCallback(
    ({ line }: FoundMatch) => {
      if (plainText(store.line(line)?.text ?? '').length > shownCharacters) list.current?.expand(line)
      list.current?.show(line)
      revealSideways(scroller, 20)
    },
    [list, scroller, store],
  )

  const shown = useRef<LineRange | null>(null)
  const arrived = address !== null && address.from < store.endLine
  useEffect(() => {
    if (!address || !arrived || shown.current === address) return
    shown.current = address
    showLine(address.from)
  }, [address, arrived, showLine])
  return { showLine, showMatch }
}

/** A line may be wider than the view. Its row is drawn within the next frames; only then can the match be seen. */
function revealSideways(scroller: RefObject<HTMLElement | null>, frames: number): void {
  requestAnimationFrame(() => {
    const match = scroller.current?.querySelector('[data-current-match]')
    if (match) match.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    else if (frames > 0) revealSideways(scroller, frames - 1)
  })
}
