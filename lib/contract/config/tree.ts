import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml'

/** A YAML value and its position. Keys can still be duplicate or unknown. */
export type YamlValue = YamlScalar | YamlList | YamlMapping

export interface YamlScalar {
  kind: 'scalar'
  offset: number
  value: string | number | boolean | null
  /** The value as written: `0.10` where the value is 0.1. */
  source: string
  /** Written without quotes. */
  plain: boolean
}

export interface YamlList {
  kind: 'list'
  offset: number
  items: YamlValue[]
}

export interface YamlMapping {
  kind: 'mapping'
  offset: number
  entries: YamlEntry[]
}

export interface YamlEntry {
  key: string
  offset: number
  value: YamlValue
}

/** An error and its position. */
export interface Mistake {
  offset: number
  message: string
}

const noAliases = 'anchors and aliases (& and *) are not allowed: write the value out'

/** Converts the nodes of the library. Aliases are never followed, so nothing can expand. */
export function toYamlValue(node: unknown, fallbackOffset: number, mistakes: Mistake[]): YamlValue {
  const offset = (isNode(node) ? node.range?.[0] : undefined) ?? fallbackOffset
  if (isAlias(node) || (isNode(node) && 'anchor' in node && node.anchor !== undefined)) {
    mistakes.push({ offset, message: noAliases })
  }
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => {
      const name = toYamlValue(key, offset, mistakes)
      const text = name.kind === 'scalar' ? String(name.value ?? '') : ''
      return { key: text, offset: name.offset, value: toYamlValue(value, name.offset, mistakes) }
    })
    return { kind: 'mapping', offset, entries }
  }
  if (isSeq(node)) {
    return { kind: 'list', offset, items: node.items.map((item) => toYamlValue(item, offset, mistakes)) }
  }
  if (!isScalar(node)) return { kind: 'scalar', offset, value: null, source: '', plain: true }
  const { value, type } = node
  const plain = type === 'PLAIN' || type === undefined
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return { kind: 'scalar', offset, value: known ? value : null, source: node.source ?? '', plain }
}

/** The value of a key of a config without positions. */
export function plainValue(key: string, value: YamlValue): unknown {
  // The variable VERSION: 3.10 and the argument 0.10 are texts, not the numbers 3.1 and 0.1.
  return withoutPositions(value, key === 'env' || key === 'args')
}

const plainMapping = ({ entries }: YamlMapping) =>
  Object.fromEntries(entries.map(({ key, value }) => [key, plainValue(key, value)]))

function withoutPositions(value: YamlValue, asWritten: boolean): unknown {
  // A mapping in a list is a config of its own.
  if (value.kind === 'list')
    return value.items.map((item) =>
      item.kind === 'mapping' ? plainMapping(item) : withoutPositions(item, asWritten),
    )
  if (value.kind === 'mapping') {
    return Object.fromEntries(
      value.entries.map((entry) => [entry.key, withoutPositions(entry.value, asWritten)]),
    )
  }
  return asWritten && value.value !== null ? String(value.plain ? value.source : value.value) : value.value
}
