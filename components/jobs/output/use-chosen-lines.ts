'use client'

import { useCallback, useEffect, useState } from 'react'
import { formatLineHash, type LineRange, parseLineHash } from './line-hash'

export interface ChosenLines {
  range: LineRange | null
  /** What the address pointed at when the page was opened, or since it was last followed. */
  address: LineRange | null
  /** Chooses a line; with `extend`, all from the one chosen before. The page's address then points there. */
  choose: (line: number, extend?: boolean) => void
  /** Chooses without changing the address. */
  chooseRange: (range: LineRange) => void
  clear: () => void
}

/** The lines that the page's address points at, as in `#L12` or `#L12-L20`. */
export function useChosenLines(): ChosenLines {
  const [range, setRange] = useState<LineRange | null>(null)
  const [address, setAddress] = useState<LineRange | null>(null)
  useEffect(() => {
    const read = () => {
      const pointedAt = parseLineHash(window.location.hash)
      setRange(pointedAt)
      setAddress(pointedAt)
    }
    read()
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [])

  const choose = useCallback(
    (line: number, extend = false) => {
      const anchor = extend && range ? range.from : line
      const chosen = { from: Math.min(anchor, line), to: Math.max(anchor, line) }
      setRange(chosen)
      // Replaced, not pushed: the way back leads to the page before, not through every line one clicked on.
      window.history.replaceState(window.history.state, '', formatLineHash(chosen))
    },
    [range],
  )
  const clear = useCallback(() => {
    setRange(null)
    const { pathname, search } = window.location
    window.history.replaceState(window.history.state, '', pathname + search)
  }, [])
  return { range, address, choose, chooseRange: setRange, clear }
}
