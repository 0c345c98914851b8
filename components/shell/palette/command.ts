import type { LucideIcon } from 'lucide-react'

/** The groups of the command palette, in their order. */
export const commandGroups = ['This job', 'Jobs', 'Groups', 'Views', 'Pages', 'Actions', 'Theme'] as const

/** An entry of the command palette. */
export interface Command {
  /** Unique in the palette. */
  id: string
  group: (typeof commandGroups)[number]
  label: string
  /** Shown beside the label, and searched too. */
  hint?: string
  /** Searched, but not shown. */
  words?: string
  /** The server found it for the text, so it is not searched again. */
  found?: true
  icon: LucideIcon
  /** The shortcut for the same action. */
  keys?: readonly string[]
  /** The action asks in a dialog that replaces the palette. */
  asks?: true
  run: () => void
}

/** A page that a feature finds. */
export interface FoundPage extends Pick<Command, 'id' | 'label' | 'hint' | 'words' | 'icon'> {
  path: string
}

export const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const wholeId = new RegExp(`^${uuid}$`)

/** The whole id that a user typed; null: the text is none. */
export function typedId(text: string): string | null {
  const id = text.trim().toLowerCase()
  return wholeId.test(id) ? id : null
}

/** The commands that contain every word of a text, by group. Labels that start with the text come first. */
export function findCommands(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = commands.filter(({ label, hint = '', words: more = '', found: isFound }) => {
    if (isFound) return true
    const searched = `${label} ${hint} ${more}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  const start = words.join(' ')
  const isLater = ({ label }: Command) => (label.toLowerCase().startsWith(start) ? 0 : 1)
  return commandGroups.flatMap((group) => {
    const own = found.filter((command) => command.group === group)
    return own.toSorted((one, other) => isLater(one) - isLater(other))
  })
}
