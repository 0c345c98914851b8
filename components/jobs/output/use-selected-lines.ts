import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { formatLineHash, type LineRange, parseLineHash } from './line-hash'
import type { OutputListHandle } from './output-list'
import type { OutputStore } from './output-store'

/** The selected lines, also in the page's address: `#L12` or `#L12-L20`. Scrolls once to the lines in the address. */
export function useSelectedLines(store: OutputStore, list: RefObject<OutputListHandle | null>) {
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

  const shown = useRef<LineRange | null>(null)
  const loaded = address !== null && !store.isTail && address.from < store.lines.end
  useEffect(() => {
    if (!address || !loaded || shown.current === address) return
    shown.current = address
    list.current?.show(address.from)
  }, [address, loaded, list])

  /** Selects a line, or with `extend` a range, and updates the page's address. */
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
  const clear = () => {
    setRange(null)
    const { pathname, search } = window.location
    window.history.replaceState(window.history.state, '', pathname + search)
  }
  /** Selects without changing the address. */
  const selectAll = () => setRange({ from: store.lines.first, to: store.lines.end - 1 })
  return { range, select, selectAll, clear }
}
