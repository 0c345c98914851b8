import { type RefObject, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import type { LineFilter } from '../line'
import type { OutputStore } from '../output-store'
import { compileQuery, type FoundMatch, OutputSearch, type SearchQuery } from './output-search'

/** Lines per slice, which takes a few milliseconds. */
const sliceLines = 5000

const emptyQuery: SearchQuery = { text: '', regex: false, caseSensitive: false }

export interface OutputSearchState {
  query: SearchQuery
  setQuery: (change: Partial<SearchQuery>) => void
  /** The pattern to highlight; null without a search. */
  pattern: RegExp | null
  /** The line to go to, if the query is `:12`. */
  goTo: number | null
  problem: string | null
  total: number
  /** The index of the current match among all. */
  index: number | null
  current: FoundMatch | null
  /** Whether a part of the output is not searched yet. */
  searching: boolean
  step: (by: 1 | -1) => void
}

interface SearchedList {
  firstVisible: () => number
  showMatch: (match: FoundMatch) => void
}

/** Searches while the user types, from the first visible line, and continues with new output. */
export function useOutputSearch(
  store: OutputStore,
  filter: LineFilter,
  list: RefObject<SearchedList | null>,
): OutputSearchState {
  const [query, changeQuery] = useState(emptyQuery)
  const [current, setCurrent] = useState<FoundMatch | null>(null)
  const [, countSlice] = useReducer((slices: number) => slices + 1, 0)
  /** The line where the search for the first match starts; null once it is found. */
  const origin = useRef<number | null>(null)

  const goTo = lineToGoTo(query)
  const nothing = query.text === '' || goTo !== null
  const compiled = useMemo(() => (nothing ? null : compileQuery(query)), [nothing, query])
  const pattern = compiled?.ok ? compiled.pattern : null
  const search = useMemo(
    () => (pattern ? new OutputSearch(store, filter, pattern) : null),
    [store, filter, pattern],
  )
  const firstVisible = () => list.current?.firstVisible() ?? store.lines.first
  const select = (match: FoundMatch | undefined) => {
    if (!match) return
    setCurrent(match)
    list.current?.showMatch(match)
  }
  const setQuery = (change: Partial<SearchQuery>) => {
    origin.current = current?.line ?? firstVisible()
    setCurrent(null)
    changeQuery((before) => ({ ...before, ...change }))
  }

  useScan(store, search, (reachedEnd, scanned) => {
    countSlice()
    if (origin.current === null) return
    const found = scanned.indexFrom(origin.current) ?? (reachedEnd && scanned.total > 0 ? 0 : undefined)
    if (found === undefined && !reachedEnd) return
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
  const searching = search !== null && (store.isTail || search.scannedTo < store.lines.end)
  return { query, setQuery, pattern, goTo, problem, total, index, current, searching, step }
}

/** Scans in slices to the end of the output, and again after each change of it. */
function useScan(
  store: OutputStore,
  search: OutputSearch | null,
  onSlice: (reachedEnd: boolean, search: OutputSearch) => void,
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
    const unsubscribe = store.subscribe(() => {
      timer ??= setTimeout(slice)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [store, search])
}

/** `:12` goes to line 12, except in regular expression mode. */
function lineToGoTo({ text, regex }: SearchQuery): number | null {
  const found = regex ? null : /^:([1-9]\d{0,8})$/.exec(text)
  return found ? Number(found[1]) - 1 : null
}

function indexOf(search: OutputSearch, match: FoundMatch): number | null {
  const first = search.indexFrom(match.line)
  if (first === undefined || search.at(first)?.line !== match.line) return null
  return Math.min(first + match.nth, search.total - 1)
}
