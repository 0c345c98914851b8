import type { RepeatedNames } from './keys'
import { plainValue, type YamlEntry, type YamlMapping, type YamlValue } from './tree'

/**
 * The values of a config's keys. The first of repeated keys counts, and an empty key counts as missing. Both only help to
 * find more mistakes.
 */
export function plainConfig(root: YamlMapping, known: readonly string[]): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const { key, value } of root.entries.toReversed()) {
    if (!known.includes(key) || isEmpty(value)) continue
    config[key] = plainValue(key, value)
  }
  return config
}

/** The null of YAML, and None of Python, because a config may be the text of a dict. */
function isEmpty(value: YamlValue): boolean {
  return value.kind === 'scalar' && (value.value === null || (value.plain && value.value === 'None'))
}

/** A path as errors show it. A member of a group is `members[3]`, as in the sentences about it. */
export const formatPath = (path: string) => path.replace(/\bmembers\.(\d+)/, 'members[$1]')

/** A mistake in a value, at the deepest position that its path reaches. */
export function locate(
  root: YamlMapping,
  path: PropertyKey[],
  names: RepeatedNames,
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
