'use client'

import type { KeyboardEvent, RefObject } from 'react'
import type { OutputOptions } from './output-options'
import type { OutputSearchState } from './search/use-output-search'
import type { ChosenLines } from './use-chosen-lines'
import type { Follow } from './use-follow'

interface OutputKeys {
  box: RefObject<HTMLInputElement | null>
  options: OutputOptions
  changeOptions: (change: Partial<OutputOptions>) => void
  follow: Follow
  chosen: ChosenLines
  search: OutputSearchState
  toStart: () => void
  chooseAll: () => void
}

/**
 * What keys do while the output has the focus. Arrows, Page Up and the like are the browser's own scrolling; Home is not,
 * because the browser glides there, and stops on the way when lines come in.
 */
export function useOutputKeys(keys: OutputKeys): (event: KeyboardEvent) => void {
  const { box, options, changeOptions, follow, chosen, search } = keys
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
    ['Escape', chosen.clear],
    // The browser would select only the lines that happen to be drawn.
    ['Control+a', keys.chooseAll],
  ])
  return (event) => {
    if (event.target !== event.currentTarget || event.altKey) return
    const action = actions.get(event.ctrlKey || event.metaKey ? `Control+${event.key}` : event.key)
    if (!action) return
    event.preventDefault()
    action()
  }
}
