/** Something that one or several keys, pressed one after the other, do. */
export interface Shortcut {
  keys: readonly string[]
  label: string
}

export interface KeyMatch<Own extends Shortcut> {
  /** The shortcut that the keys complete. */
  shortcut: Own | null
  /** The keys that may yet become one. */
  pending: readonly string[]
}

const nothing = { shortcut: null, pending: [] } as const

/** Adds a key to those pressed before. A key that leads nowhere starts anew, so that `g n` still opens what `n` does. */
export function matchKeys<Own extends Shortcut>(
  pending: readonly string[],
  key: string,
  shortcuts: readonly Own[],
): KeyMatch<Own> {
  const pressed = [...pending, key]
  const candidates = shortcuts.filter(({ keys }) => pressed.every((own, place) => keys[place] === own))
  const shortcut = candidates.find(({ keys }) => keys.length === pressed.length)
  if (shortcut) return { shortcut, pending: [] }
  if (candidates.length > 0) return { shortcut: null, pending: pressed }
  return pending.length > 0 ? matchKeys([], key, shortcuts) : nothing
}
