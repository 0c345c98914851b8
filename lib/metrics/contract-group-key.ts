import { splitShellWords } from '../contract/config/program/shell-words'

/** What decides to which group a job belongs. */
export interface Grouped {
  tags: readonly string[]
  /** The keys of its config, such as `{ gpu_count: 1, args: ['--lr', '0.1'] }`. */
  config: Readonly<Record<string, unknown>>
}

/** The key of a tag such as `lr=0.1` or `lr:0.1`. */
const keyedTag = /^([^\s=:]+)\s*[=:]\s*(\S.*)$/
/** An option of a program, such as `--lr=0.1`. */
const option = /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/

/**
 * The value by which a job is grouped; undefined: it has none.
 * @param by `tags`: its tags without a key, together; `tag.KEY`: the value of its tag KEY=VALUE or KEY:VALUE; `config.PATH`: a value
 * of its config
 */
export function groupKey(job: Grouped, by: string): string | undefined {
  if (by === 'tags') {
    const words = job.tags.filter((tag) => !keyedTag.test(tag))
    return words.length === 0 ? undefined : words.toSorted().join(', ')
  }
  if (by.startsWith('tag.')) return tagsWithKeys(job.tags).get(by.slice('tag.'.length))
  return by.startsWith('config.') ? configValue(job.config, by.slice('config.'.length)) : undefined
}

/** Everything by which some jobs can be grouped: what at least one of them has, and in which they differ. */
export function groupKeys(jobs: readonly Grouped[]): string[] {
  const paths = new Map<string, Map<string, number>>()
  const add = (by: string, value: string) => {
    const values = paths.get(by) ?? new Map<string, number>()
    values.set(value, (values.get(value) ?? 0) + 1)
    paths.set(by, values)
  }
  for (const job of jobs) {
    const words = groupKey(job, 'tags')
    if (words !== undefined) add('tags', words)
    for (const [key, value] of tagsWithKeys(job.tags)) add(`tag.${key}`, value)
    for (const [path, value] of configValues(job.config)) add(`config.${path}`, value)
  }
  const isCommon = (values: Map<string, number>) => [...values.values()].includes(jobs.length)
  return [...paths].flatMap(([by, values]) => (isCommon(values) ? [] : [by]))
}

/** The value of a config at a path, such as `gpu_count`, `env.LR`, or `args.lr` for the option `--lr`. */
export function configValue(config: Grouped['config'], path: string): string | undefined {
  return configValues(config).get(path)
}

/** The values of a config by path. Lists are one value, but the options of the program have a path each. */
export function configValues(config: Grouped['config']): Map<string, string> {
  const values = new Map<string, string>()
  const add = (path: string, value: unknown) => {
    if (value === null || value === undefined) return
    if (Array.isArray(value)) {
      if (value.length > 0) values.set(path, value.map(toText).join(' '))
    } else if (typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, item)
    } else values.set(path, String(value))
  }
  add('', config)
  for (const [name, value] of optionsOf(config)) values.set(`args.${name}`, value)
  return values
}

/** The options in the arguments of a program, or in a command. An option without a value is `true`. */
function optionsOf({ args, command }: Grouped['config']): Map<string, string> {
  const split = typeof command === 'string' ? splitShellWords(command) : null
  const words = Array.isArray(args) && args.length > 0 ? args.map(toText) : split?.ok ? split.words : []
  const options = new Map<string, string>()
  for (const [at, word] of words.entries()) {
    const [, name, value] = option.exec(word) ?? []
    if (name === undefined) continue
    const next = words[at + 1]
    options.set(name, value ?? (next === undefined || option.test(next) ? 'true' : next))
  }
  return options
}

const toText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function tagsWithKeys(tags: readonly string[]): Map<string, string> {
  return new Map(
    tags.flatMap((tag) => {
      const [, key, value] = keyedTag.exec(tag) ?? []
      return key !== undefined && value !== undefined ? [[key, value] as const] : []
    }),
  )
}
