'use client'

import { useCallback, useEffect, useState } from 'react'
import { formatLineHash, type LineRange, parseLineHash } from './line-hash'

export interface SelectedLines {
  range: LineRange | null
  /** The lines in the page's address. */
  address: LineRange | null
  /** Selects a line, or with `extend` a range, and updates the page's address. */
  select: (line: number, extend?: boolean) => void
  /** Selects without changing the address. */
  selectRange: (range: LineRange) => void
  clear: () => void
}

/** The selected lines, also in the page's address: `#L12` or `#L12-L20`. */
export function useSelectedLines(): SelectedLines {
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

  const select = useCallback(
    (line: number, extend = false) => {
      const anchor = extend && range ? range.from : line
      const selected = { from: Math.min(anchor, line), to: Math.max(anchor, line) }
      setRange(selected)
      // Replaced, so that Back leads to the previous page and not through every selected line.
      window.history.replaceState(window.history.state, '', formatLineHash(selected))
    },
    [range],
  )
  const clear = useCallback(() => {
    setRange(null)
    const { pathname, search } = window.location
    window.history.replaceState(window.history.state, '', pathname + search)
  }, [])
  return { range, address, select, selectRange: setRange, clear }
}
