/*
 * The palette loads when it is opened first. The keys that a user types meanwhile belong to its text field: on the page they
 * would be shortcuts.
 */

let text = ''

function collect(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key.length === 1) text += event.key
  else if (event.key === 'Backspace') text = text.slice(0, -1)
  event.preventDefault()
  event.stopPropagation()
}

/** Keeps typed keys from the page until {@link takeEarlyKeys}. */
export function collectEarlyKeys(): void {
  text = ''
  window.addEventListener('keydown', collect, true)
}

/** Ends the collection, and returns what was typed. */
export function takeEarlyKeys(): string {
  window.removeEventListener('keydown', collect, true)
  const typed = text
  text = ''
  return typed
}
