'use client'

import { useCallback, useRef, useState } from 'react'
import type { OutputListHandle } from './output-list'
import { initialOptions, type OutputOptions } from './output-options'
import type { OutputStore } from './output-store'
import { useOutputSearch } from './search/use-output-search'
import { useChosenLines } from './use-chosen-lines'
import { useCopyLines } from './use-copy-lines'
import { useFollow } from './use-follow'
import { useOutputKeys } from './use-output-keys'
import { useOutputVersion } from './use-output-version'
import { useShowLine } from './use-show-line'

/** All that the viewer's parts share: what is shown, where one is, and what keys and buttons do. */
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
  const chosen = useChosenLines()
  const { showLine, showMatch } = useShowLine({ list, scroller, store, address: chosen.address })
  const firstVisible = useCallback(() => list.current?.firstVisible() ?? store.firstLine, [store])
  const search = useOutputSearch({ store, filter: options.filter, firstVisible, show: showMatch })
  const chooseAll = () => chosen.chooseRange({ from: store.firstLine, to: store.endLine - 1 })
  const toStart = () => {
    follow.stop()
    scroller.current?.scrollTo({ top: 0 })
  }
  const onKeyDown = useOutputKeys({ box, options, changeOptions, follow, chosen, search, toStart, chooseAll })
  const { copy, onCopy } = useCopyLines(store, options.filter, chosen.range)
  const goToLine = (line: number) => {
    chosen.choose(line)
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
    chosen,
    pattern,
    current,
    onKeyDown,
    onCopy,
  }
  return {
    options,
    changeOptions,
    follow,
    chosen,
    search,
    copy,
    goToLine,
    refs: { box, scroller },
    listProps,
  }
}
