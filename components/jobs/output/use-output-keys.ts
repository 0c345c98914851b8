'use client'

import type { KeyboardEvent, RefObject } from 'react'
import type { OutputOptions } from './output-options'
import type { OutputSearchState } from './search/use-output-search'
import type { Follow } from './use-follow'
import type { SelectedLines } from './use-selected-lines'

interface OutputKeys {
  box: RefObject<HTMLInputElement | null>
  options: OutputOptions
  changeOptions: (change: Partial<OutputOptions>) => void
  follow: Follow
  selected: SelectedLines
  search: OutputSearchState
  toStart: () => void
  selectAll: () => void
}

/**
 * Keyboard shortcuts of the output. The browser handles arrows and Page Up. Home is handled here, because the browser
 * scrolls smoothly and stops when new lines arrive.
 */
export function useOutputKeys(keys: OutputKeys): (event: KeyboardEvent) => void {
  const { box, options, changeOptions, follow, selected, search } = keys
  const actions = new Map<string, () => void>([
    [
      '/',
      () => {
        box.current?.focus()
        box.current?.select()
      },
    ],
    ['n', () => search.step(1)],
    ['N', () => search.step(-1)],
    ['w', () => changeOptions({ wrap: !options.wrap })],
    ['t', () => changeOptions({ times: !options.times })],
    ['f', () => (follow.following ? follow.stop() : follow.start())],
    ['Home', keys.toStart],
    ['End', follow.start],
    ['Escape', selected.clear],
    // The browser would select only the rendered lines.
    ['Control+a', keys.selectAll],
  ])
  return (event) => {
    if (event.target !== event.currentTarget || event.altKey) return
    const action = actions.get(event.ctrlKey || event.metaKey ? `Control+${event.key}` : event.key)
    if (!action) return
    event.preventDefault()
    action()
  }
}
