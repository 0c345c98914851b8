import { PrintedNumber } from '@/lib/contract/output/printed-json'
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
  const position = { id: '0', level: 1, position: 1, siblings: 1, parent: null }
  const waiting: JsonNode[] = [makeNode(position, [null, root], open)]
  // A stack instead of recursion: values may be nested very deeply.
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    rows.push(node)
    if (!node.expanded) continue
    for (const child of childrenOf(node, open).reverse()) waiting.push(child)
  }
  return rows
}

/** The levels that are opened at once: each takes a pass over all rows, and a value may have 100,000 levels. */
const levelsAtOnce = 100

/** Opens level by level up to this number of rows. */
export function openLevels(root: unknown, limit: number): Set<string> {
  const open = new Set<string>()
  for (let level = 0; level < levelsAtOnce; level++) {
    const closed = listNodes(root, open).filter(
      ({ expanded, kind }) => expanded === false && kind !== 'string',
    )
    if (closed.length === 0) return open
    const next = new Set([...open, ...closed.map(({ id }) => id)])
    if (open.size > 0 && listNodes(root, next).length > limit) return open
    for (const id of next) open.add(id)
  }
  return open
}

type Entry = readonly [name: string | null, value: unknown]

type NodePosition = Pick<JsonNode, 'id' | 'level' | 'position' | 'siblings' | 'parent'>

function makeNode(position: NodePosition, [name, value]: Entry, open: ReadonlySet<string>): JsonNode {
  const opens = isContainer(value) ? Object.keys(value).length > 0 : isLong(value)
  const expanded = opens ? open.has(position.id) : null
  return { ...position, name, value, kind: kindOf(value), expanded, from: 0 }
}

function childrenOf(node: JsonNode, open: ReadonlySet<string>): JsonNode[] {
  if (node.kind === 'string') {
    const position = { ...childPosition(node, 0, 1), id: `${node.id}/text` }
    return [{ ...position, name: null, value: node.value, kind: 'text', expanded: null, from: 0 }]
  }
  const entries = entriesOf(node.value)
  if (entries.length > groupSize) return groupsOf(node, entries, open)
  return entries.map((entry, index) => makeNode(childPosition(node, index, entries.length), entry, open))
}

function childPosition(parent: JsonNode, index: number, siblings: number): NodePosition {
  return {
    id: `${parent.id}/${index}`,
    level: parent.level + 1,
    position: index + 1,
    siblings,
    parent: parent.id,
  }
}

/** Groups of 100 or 10,000, so that no level has more than 100 rows. */
function groupsOf(node: JsonNode, entries: readonly Entry[], open: ReadonlySet<string>): JsonNode[] {
  const size = groupSize ** Math.floor(Math.log(entries.length - 1) / Math.log(groupSize) + 1e-9)
  const count = Math.ceil(entries.length / size)
  return Array.from({ length: count }, (_, group) => {
    const position = childPosition(node, group, count)
    const slice = entries.slice(group * size, (group + 1) * size)
    const from = node.from + group * size
    const name = `${from} … ${from + slice.length - 1}`
    const value = new EntryGroup(slice)
    return { ...position, name, value, kind: 'group', expanded: open.has(position.id), from }
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
  return typeof value === 'object' && value !== null && !(value instanceof PrintedNumber)
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && (value.length > inlineCharacters || value.includes('\n'))
}

function kindOf(value: unknown): NodeKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (value instanceof PrintedNumber) return 'number'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
