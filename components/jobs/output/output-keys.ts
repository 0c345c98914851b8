import type { KeyboardEvent, RefObject } from 'react'
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
  const actions = new Map<string, () => void>([
    ['/', toSearchBox],
    ['n', () => search.step(1)],
    ['N', () => search.step(-1)],
    ['w', () => changeOptions({ wrap: !options.wrap })],
    ['t', () => changeOptions({ times: !options.times })],
    ['f', () => (follow.following ? follow.stop() : follow.start())],
    ['Home', toStart],
    ['End', follow.start],
    ['Escape', selected.clear],
    // The browser would select only the rendered lines.
    ['Control+a', selected.selectAll],
  ])
  return (event) => {
    if (event.target !== event.currentTarget || event.altKey) return
    const action = actions.get(event.ctrlKey || event.metaKey ? `Control+${event.key}` : event.key)
    if (!action) return
    event.preventDefault()
    action()
  }
}
