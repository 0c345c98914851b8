'use client'

import { useCallback, useRef, useState } from 'react'
import type { OutputListHandle } from './output-list'
import { initialOptions, type OutputOptions } from './output-options'
import type { OutputStore } from './output-store'
import { useOutputSearch } from './search/use-output-search'
import { useCopyLines } from './use-copy-lines'
import { useFollow } from './use-follow'
import { useOutputKeys } from './use-output-keys'
import { useOutputVersion } from './use-output-version'
import { useSelectedLines } from './use-selected-lines'
import { useShowLine } from './use-show-line'

/** The shared state of the viewer: options, selection, search and keyboard. */
export function useOutputViewer(store: OutputStore, live: boolean) {
  useOutputVersion(store)
  const [options, setOptions] = useState<OutputOptions>(initialOptions)
  const changeOptions = useCallback(
    (change: Partial<OutputOptions>) => setOptions((before) => ({ ...before, ...change })),
    [],
  )
  const scroller = useRef<HTMLElement>(null)
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<OutputListHandle>(null)
  const follow = useFollow(scroller, live)
  const selected = useSelectedLines()
  const { showLine, showMatch } = useShowLine({ list, scroller, store, address: selected.address })
  const firstVisible = useCallback(() => list.current?.firstVisible() ?? store.lines.first, [store])
  const search = useOutputSearch({ store, filter: options.filter, firstVisible, show: showMatch })
  const selectAll = () => selected.selectRange({ from: store.lines.first, to: store.lines.end - 1 })
  const toStart = () => {
    follow.stop()
    scroller.current?.scrollTo({ top: 0 })
  }
  const onKeyDown = useOutputKeys({
    box,
    options,
    changeOptions,
    follow,
    selected,
    search,
    toStart,
    selectAll,
  })
  const { copy, onCopy } = useCopyLines(store, options.filter, selected.range)
  const goToLine = (line: number) => {
    selected.select(line)
    showLine(line)
    scroller.current?.focus()
  }
  const { pattern, current } = search
  const listProps = {
    ref: list,
    scroller,
    store,
    options,
    follow,
    selected,
    pattern,
    current,
    onKeyDown,
    onCopy,
  }
  return {
    options,
    changeOptions,
    follow,
    selected,
    search,
    copy,
    goToLine,
    refs: { box, scroller },
    listProps,
  }
}
