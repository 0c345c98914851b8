'use client'

import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import type { LineFilter } from '../line'
import type { OutputStore } from '../output-store'
import { compileQuery, type FoundMatch, OutputSearch, type SearchQuery } from './output-search'

/** Lines looked at before the page gets its turn again: a few milliseconds. */
const sliceLines = 5000

const emptyQuery: SearchQuery = { text: '', regex: false, caseSensitive: false }

export interface OutputSearchState {
  query: SearchQuery
  setQuery: (change: Partial<SearchQuery>) => void
  /** What to highlight, or null when nothing is searched for. */
  pattern: RegExp | null
  /** What was typed is no search but the number of a line, as in `:12`. */
  goTo: number | null
  problem: string | null
  total: number
  /** The place of the current match among all, from 0. */
  index: number | null
  current: FoundMatch | null
  /** Whether there is still output that was not looked at. */
  searching: boolean
  step: (by: 1 | -1) => void
}

interface SearchContext {
  store: OutputStore
  filter: LineFilter
  /** Where a new search begins: the first line in view. */
  firstVisible: () => number
  show: (match: FoundMatch) => void
}

/** Searches as one types, from where one is reading, and goes on as output comes in. */
export function useOutputSearch(context: SearchContext): OutputSearchState {
  const { store, filter, firstVisible, show } = context
  const [query, changeQuery] = useState(emptyQuery)
  const [current, setCurrent] = useState<FoundMatch | null>(null)
  const [, countSlice] = useReducer((slices: number) => slices + 1, 0)
  /** The line from which the first match is still looked for; null once there is one. */
  const origin = useRef<number | null>(null)

  const goTo = lineToGoTo(query)
  const nothing = query.text === '' || goTo !== null
  const compiled = useMemo(() => (nothing ? null : compileQuery(query)), [nothing, query])
  const pattern = compiled?.ok ? compiled.pattern : null
  const search = useMemo(
    () => (pattern ? new OutputSearch(store, filter, pattern) : null),
    [store, filter, pattern],
  )
  const select = useCallback(
    (match: FoundMatch | undefined) => {
      if (!match) return
      setCurrent(match)
      show(match)
    },
    [show],
  )
  const setQuery = (change: Partial<SearchQuery>) => {
    origin.current = current?.line ?? firstVisible()
    setCurrent(null)
    changeQuery((before) => ({ ...before, ...change }))
  }

  useScan(store, search, (caughtUp, scanned) => {
    countSlice()
    if (origin.current === null) return
    const found = scanned.indexFrom(origin.current) ?? (caughtUp && scanned.total > 0 ? 0 : undefined)
    if (found === undefined && !caughtUp) return
    origin.current = null
    if (found !== undefined) select(scanned.at(found))
  })

  const index = search && current ? indexOf(search, current) : null
  const total = search?.total ?? 0
  const step = (by: 1 | -1) => {
    if (!search || total === 0) return
    const from = index ?? (by === 1 ? (search.indexFrom(firstVisible()) ?? 0) - 1 : total)
    select(search.at((from + by + total) % total))
  }
  const problem = compiled && !compiled.ok ? compiled.problem : null
  const searching = search !== null && search.scannedTo < store.endLine
  return { query, setQuery, pattern, goTo, problem, total, index, current, searching, step }
}

/** Scans in slices until the search has caught up, and goes on after each change of the output. */
function useScan(
  store: OutputStore,
  search: OutputSearch | null,
  onSlice: (caughtUp: boolean, search: OutputSearch) => void,
): void {
  const report = useRef(onSlice)
  useEffect(() => {
    report.current = onSlice
  })
  useEffect(() => {
    if (!search) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const slice = () => {
      const more = search.scan(sliceLines)
      timer = more ? setTimeout(slice) : undefined
      report.current(!more, search)
    }
    slice()
    const leave = store.subscribe(() => {
      timer ??= setTimeout(slice)
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [store, search])
}

/** `:12` goes to the twelfth line; as a regular expression it is searched for. */
function lineToGoTo({ text, regex }: SearchQuery): number | null {
  const found = regex ? null : /^:([1-9]\d{0,8})$/.exec(text)
  return found ? Number(found[1]) - 1 : null
}

function indexOf(search: OutputSearch, match: FoundMatch): number | null {
  const first = search.indexFrom(match.line)
  if (first === undefined || search.at(first)?.line !== match.line) return null
  return Math.min(first + match.nth, search.total - 1)
}
