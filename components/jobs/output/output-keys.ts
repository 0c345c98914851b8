import type { KeyboardEvent, RefObject } from 'react'
import { findShortcut } from '@/components/shell/shortcuts/shortcut-keys'
import { outputShortcuts } from '@/components/shell/shortcuts/shortcut-table'
import type { OutputOptions } from './output-toolbar'
import type { OutputSearchState } from './search/use-output-search'
import type { Follow } from './use-follow'

interface OutputKeys {
  scroller: RefObject<HTMLElement | null>
  searchBox: RefObject<HTMLInputElement | null>
  options: OutputOptions
  changeOptions: (change: Partial<OutputOptions>) => void
  follow: Follow
  selected: { clear: () => void; selectAll: () => void }
  search: OutputSearchState
}

/**
 * Keyboard shortcuts of the output. The browser handles arrows and Page Up. Home is handled here, because the browser
 * scrolls smoothly and stops when new lines arrive.
 */
export function makeKeyHandler(keys: OutputKeys): (event: KeyboardEvent) => void {
  const { scroller, searchBox, options, changeOptions, follow, selected, search } = keys
  const toSearchBox = () => {
    searchBox.current?.focus()
    searchBox.current?.select()
  }
  const toStart = () => {
    follow.stop()
    scroller.current?.scrollTo({ top: 0 })
  }
  const actions: Record<keyof typeof outputShortcuts, () => void> = {
    search: toSearchBox,
    next: () => search.step(1),
    previous: () => search.step(-1),
    wrap: () => changeOptions({ wrap: !options.wrap }),
    times: () => changeOptions({ times: !options.times }),
    follow: () => (follow.following ? follow.stop() : follow.start()),
    start: toStart,
    end: follow.start,
    clear: selected.clear,
    // The browser would select only the rendered lines.
    selectAll: selected.selectAll,
  }
  return (event) => {
    if (event.target !== event.currentTarget || event.altKey) return
    const name = findShortcut(outputShortcuts, event)
    if (!name) return
    event.preventDefault()
    actions[name]()
  }
}
