import { isObject } from './detect-shape'

/** More children than this are divided into groups. */
const groupSize = 100
/** A string that is longer or has several lines can be opened. */
export const inlineCharacters = 160

export type NodeKind = 'object' | 'list' | 'group' | 'string' | 'number' | 'boolean' | 'null' | 'text'

/** A row of the tree: a value, a group of values, or the text of a long string. */
export interface JsonNode {
  /** The indexes from the root, as in `0/3/1`. Keys could contain any character. */
  id: string
  /** A key or an index; null for the root and for text. */
  name: string | null
  kind: NodeKind
  value: unknown
  /** From 1. */
  level: number
  /** The position among its siblings, from 1, and their number. */
  position: number
  siblings: number
  /** Null if the node cannot be opened. */
  expanded: boolean | null
  parent: string | null
  /** The index of a group's first child. */
  from: number
}

/** The visible rows of the tree. The cost depends only on the visible rows. */
export function listNodes(root: unknown, open: ReadonlySet<string>): JsonNode[] {
  const rows: JsonNode[] = []
  const waiting: JsonNode[] = [
    makeNode({ id: '0', name: null, value: root, level: 1, position: 1, siblings: 1 }, null, open),
  ]
  // A stack instead of recursion: values may be nested very deeply.
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    rows.push(node)
    if (!node.expanded) continue
    const children = childrenOf(node, open)
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index]
      if (child) waiting.push(child)
    }
  }
  return rows
}

/** Opens level by level up to this number of rows. */
export function openLevels(root: unknown, limit: number): Set<string> {
  const open = new Set<string>()
  for (;;) {
    const closed = listNodes(root, open).filter(
      ({ expanded, kind }) => expanded === false && kind !== 'string',
    )
    if (closed.length === 0) return open
    const next = new Set([...open, ...closed.map(({ id }) => id)])
    if (open.size > 0 && listNodes(root, next).length > limit) return open
    for (const id of next) open.add(id)
  }
}

type Entry = readonly [name: string | null, value: unknown]

interface NodePosition {
  id: string
  name: string | null
  value: unknown
  level: number
  position: number
  siblings: number
}

function makeNode(position: NodePosition, parent: string | null, open: ReadonlySet<string>): JsonNode {
  const kind = kindOf(position.value)
  const opens = isContainer(position.value) ? Object.keys(position.value).length > 0 : isLong(position.value)
  return { ...position, kind, parent, from: 0, expanded: opens ? open.has(position.id) : null }
}

function childrenOf(node: JsonNode, open: ReadonlySet<string>): JsonNode[] {
  if (node.kind === 'string')
    return [
      {
        ...node,
        id: `${node.id}/text`,
        name: null,
        kind: 'text',
        level: node.level + 1,
        expanded: null,
        parent: node.id,
        position: 1,
        siblings: 1,
      },
    ]
  const entries = entriesOf(node.value)
  if (entries.length > groupSize) return groupsOf(node, entries, open)
  return entries.map(([name, value], index) =>
    makeNode(
      {
        id: `${node.id}/${index}`,
        name,
        value,
        level: node.level + 1,
        position: index + 1,
        siblings: entries.length,
      },
      node.id,
      open,
    ),
  )
}

/** Groups of 100 or 10,000, so that no level has more than 100 rows. */
function groupsOf(node: JsonNode, entries: readonly Entry[], open: ReadonlySet<string>): JsonNode[] {
  const size = groupSize ** Math.floor(Math.log(entries.length - 1) / Math.log(groupSize) + 1e-9)
  const count = Math.ceil(entries.length / size)
  return Array.from({ length: count }, (_, group) => {
    const id = `${node.id}/${group}`
    const slice = entries.slice(group * size, (group + 1) * size)
    const first = node.from + group * size
    return {
      id,
      name: `${first} … ${first + slice.length - 1}`,
      kind: 'group',
      value: new EntryGroup(slice),
      level: node.level + 1,
      position: group + 1,
      siblings: count,
      expanded: open.has(id),
      parent: node.id,
      from: first,
    }
  })
}

/** A slice of a container's entries. A class, so that no value of a job can be mistaken for one. */
class EntryGroup {
  constructor(readonly entries: readonly Entry[]) {}
}

function entriesOf(value: unknown): readonly Entry[] {
  if (value instanceof EntryGroup) return value.entries
  if (Array.isArray(value)) return value.map((item, index) => [String(index), item])
  return isObject(value) ? Object.entries(value) : []
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && (value.length > inlineCharacters || value.includes('\n'))
}

function kindOf(value: unknown): NodeKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
