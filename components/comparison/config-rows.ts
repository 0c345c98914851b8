import { plainValue, type YamlMapping, type YamlValue } from '@/lib/contract/config/tree'
import { readYaml } from '@/lib/contract/config/yaml'

/** A key of the config, with its value in each job; null: the job does not have it. */
export interface ConfigRow {
  key: string
  values: (string | null)[]
  differs: boolean
}

/** The keys of several configs, in the order in which they occur. Keys of nested mappings have dots. */
export function compareConfigs(configs: readonly string[]): ConfigRow[] {
  const flat = configs.map(flatten)
  const keys = new Set(flat.flatMap((config) => [...config.keys()]))
  return [...keys].map((key) => {
    const values = flat.map((config) => config.get(key) ?? null)
    return { key, values, differs: new Set(values).size > 1 }
  })
}

/** The values of a config. One that cannot be read has none. */
export function readConfig(config: string): Record<string, unknown> {
  const read = readYaml(config)
  return read.ok
    ? Object.fromEntries(read.root.entries.map(({ key, value }) => [key, plainValue(key, value)]))
    : {}
}

/** A config that cannot be read is one value. */
function flatten(config: string): Map<string, string> {
  const read = readYaml(config)
  const flat = new Map<string, string>()
  if (read.ok) addEntries(flat, read.root, '')
  else flat.set('config', config)
  return flat
}

function addEntries(flat: Map<string, string>, { entries }: YamlMapping, prefix: string): void {
  for (const { key, value } of entries) {
    if (value.kind === 'mapping') addEntries(flat, value, `${prefix}${key}.`)
    else flat.set(prefix + key, toText(value))
  }
}

function toText(value: YamlValue): string {
  if (value.kind === 'scalar') return value.source
  if (value.kind === 'list') return `[${value.items.map(toText).join(', ')}]`
  return `{${value.entries.map((entry) => `${entry.key}: ${toText(entry.value)}`).join(', ')}}`
}
