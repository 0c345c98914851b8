/** An action of one key or a sequence of keys. */
export interface Shortcut {
  /** As {@link keyOf} names them. */
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

type PressedKeys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

/** The name of a pressed key: "n", "N", "Control+a", "Shift+Enter". Command is Control on a Mac. */
export function keyOf({ key, ctrlKey, metaKey, shiftKey }: PressedKeys): string {
  if (ctrlKey || metaKey) return `Control+${key}`
  return shiftKey && key.length > 1 ? `Shift+${key}` : key
}

/** The keys of a keyboard to press at once: "N" is Shift and N. */
export function describeKey(name: string): string[] {
  const keys = name.length > 1 ? name.split('+') : [name]
  return keys.flatMap((key) => {
    if (/^\p{Lu}$/u.test(key)) return ['Shift', key]
    return key === 'Control' ? 'Ctrl' : key
  })
}

/** The name of the shortcut of one key that was pressed. */
export function findShortcut<Name extends string>(
  shortcuts: Readonly<Record<Name, Shortcut>>,
  event: PressedKeys,
): Name | undefined {
  const key = keyOf(event)
  return (Object.keys(shortcuts) as Name[]).find((name) => shortcuts[name].keys[0] === key)
}

/** The key of a shortcut for a tooltip: "N", "Shift+N". */
export function shortcutText({ keys: [key = ''] }: Shortcut): string {
  const names = describeKey(key)
  return names.map((name) => (name.length === 1 ? name.toUpperCase() : name)).join('+')
}
