import type { KeyNames } from './names'
import { isConfigKey } from './schema'
import type { YamlEntry, YamlMapping, YamlValue } from './tree'

/** The values of a config's keys. Of a doubled key the first counts, and an empty one counts as left out: both only to find more mistakes. */
export function plainConfig(root: YamlMapping): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const { key, value } of root.entries.toReversed()) {
    if (!isConfigKey(key) || isEmpty(value)) continue
    // A variable VERSION: 3.10 and an argument 0.10 mean what is written, not the numbers 3.1 and 0.1.
    config[key] = plainValue(value, key === 'env' || key === 'args')
  }
  return config
}

/** YAML's null, and Python's: a config may be the text of a dict. */
function isEmpty(value: YamlValue): boolean {
  return value.kind === 'scalar' && (value.value === null || (value.plain && value.value === 'None'))
}

function plainValue(value: YamlValue, asWritten: boolean): unknown {
  if (value.kind === 'list') return value.items.map((item) => plainValue(item, asWritten))
  if (value.kind === 'mapping') {
    return Object.fromEntries(value.entries.map((entry) => [entry.key, plainValue(entry.value, asWritten)]))
  }
  return asWritten && value.value !== null ? String(value.plain ? value.source : value.value) : value.value
}

/** A mistake in a value, at the deepest place that its path leads to. */
export function locate(
  root: YamlMapping,
  path: PropertyKey[],
  names: KeyNames,
): { path: string; offset: number } {
  let value: YamlValue = root
  let offset = root.offset
  const shown: PropertyKey[] = []
  for (const step of path) {
    const next: YamlEntry | YamlValue | undefined = child(value, step)
    if (next === undefined) {
      shown.push(step)
      break
    }
    const nested = 'key' in next ? next.value : next
    offset = nested.offset
    if (!('key' in next) || names.mayRepeat(next.key, next.offset)) shown.push(step)
    value = nested
  }
  return { path: shown.join('.'), offset }
}

function child(value: YamlValue, step: PropertyKey): YamlEntry | YamlValue | undefined {
  if (value.kind === 'mapping') return value.entries.find(({ key }) => key === step)
  return value.kind === 'list' && typeof step === 'number' ? value.items[step] : undefined
}
