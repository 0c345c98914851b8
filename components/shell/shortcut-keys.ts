/** An action of one key or a sequence of keys. */
export interface Shortcut {
  keys: readonly string[]
  label: string
}

export interface KeyMatch<Own extends Shortcut> {
  /** The completed shortcut. */
  shortcut: Own | null
  /** The beginning of a longer shortcut. */
  pending: readonly string[]
}

const nothing = { shortcut: null, pending: [] } as const

/** Adds a key to the pending sequence. A key that fits no sequence starts a new one: `g n` runs `n`. */
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
