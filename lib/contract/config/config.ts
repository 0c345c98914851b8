import { stringify } from 'yaml'
import type * as z from 'zod'
import type { FieldError } from '../errors'
import { describeIssue } from './issues'
import { checkKeys } from './keys'
import { KeyNames } from './names'
import { formatPath, locate, plainConfig } from './plain'
import { type ConfigKey, configKeys, configSchema, type ParsedConfig } from './schema'
import { maxLexemes, readYaml } from './yaml'

/** Longest config that is read. */
export const maxConfigBytes = 64 * 1024

/** How long a config of a schema may be. */
export interface ConfigLimits {
  bytes: number
  /** Words and signs of YAML. They decide how long it takes to read. */
  lexemes: number
}

const maxErrors = 20

/** What a job asks for: a checked config. The token is never part of it. */
export type JobConfig = Omit<ParsedConfig, 'token'> & {
  /** Whether the config names a number or a part of GPUs. If not, the requirement of a model that the job names decides. */
  gpusChosen: boolean
}

export type ParseConfigResult = Parsed<typeof configSchema>

/** A schema whose keys include those of a job. */
export type ConfigSchema = z.ZodType<ParsedConfig> & { shape: Readonly<Record<string, z.ZodType>> }

/** A checked config of a schema, as {@link JobConfig}. */
export type ConfigAs<Schema extends z.ZodType> = Omit<z.output<Schema>, 'token'> &
  Pick<JobConfig, 'gpusChosen'>

/** `written`: the keys that the text has, without those that only have a default. */
type Parsed<Schema extends z.ZodType> =
  | { ok: true; config: ConfigAs<Schema>; token: string | null; written: string[] }
  | { ok: false; errors: FieldError[] }

/**
 * Reads a `config.yaml`. Every mistake names what to change and where; none repeats the token, or a value at all.
 * Runs in the browser as well.
 */
export function parseConfig(text: string): ParseConfigResult {
  return parseConfigAs(configSchema, text)
}

/** The same for a config with more keys, which may be longer. */
export function parseConfigAs<Schema extends ConfigSchema>(
  schema: Schema,
  text: string,
  { bytes, lexemes }: ConfigLimits = { bytes: maxConfigBytes, lexemes: maxLexemes },
): Parsed<Schema> {
  if (new TextEncoder().encode(text).length > bytes) {
    return { ok: false, errors: [{ path: 'config_file', message: `must be at most ${bytes / 1024} KiB` }] }
  }
  const source = text.replace(/^\ufeff/, '')
  const read = readYaml(source, lexemes)
  if (!read.ok) return read
  const { root, placeOf } = read
  const known = Object.keys(schema.shape)
  const names = new KeyNames(source, root, known)
  const keyMistakes = checkKeys(root, names, known)
  const plain = plainConfig(root, known)
  const parsed = schema.safeParse(plain, { error: describeIssue })
  const gpusChosen = root.entries.some(({ key }) => key === 'gpu_count' || key === 'gpu_fraction')
  if (parsed.success && keyMistakes.length === 0) {
    const { token = null, ...config } = parsed.data as z.output<Schema>
    return { ok: true, config: { ...config, gpusChosen }, token, written: Object.keys(plain) }
  }
  const issues = parsed.error?.issues ?? []
  const valueMistakes = issues
    .map(({ path, message }) => ({ ...locate(root, path, names), message }))
    .filter(({ offset, path }) => !keyMistakes.some((one) => one.offset === offset && one.path === path))
  const mistakes = [...keyMistakes, ...valueMistakes]
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, maxErrors)
  return {
    ok: false,
    errors: mistakes.map(({ path, message, offset }) => ({
      path: formatPath(path),
      message,
      ...placeOf(offset),
    })),
  }
}

/** Seconds after which the job is stopped: its own limit or a generous guess, under the admin's ceiling. */
export function timeLimitSeconds(
  { expected_time, max_time }: Pick<JobConfig, 'expected_time' | 'max_time'>,
  ceilingSeconds: number,
): number {
  return Math.min(max_time ?? Math.max(2 * expected_time, expected_time + 60), ceilingSeconds)
}

/** How often a program can run for its whole time although nothing but it fails. */
export function ownAttempts({ max_retries, retry_on }: Pick<JobConfig, 'max_retries' | 'retry_on'>): number {
  return retry_on.length > 0 ? 1 + max_retries : 1
}

/** The part of the config that is stored as JSON: without the submitter and the command, which have columns of their own, and the keys of entries. */
export function configForRecord(config: JobConfig) {
  const { user_id, command, gpusChosen, phase, rehearse, ...record } = config
  return record
}

/** A stored config as a `config.yaml` that can be submitted again: only what is not the default. */
export function configToYaml(record: unknown, command: string | null = null): string {
  const values = new Map(Object.entries(typeof record === 'object' && record !== null ? record : {}))
  if (command !== null) values.set('command', command)
  const shown = configKeys.filter(
    (key) => key !== 'token' && values.has(key) && !isDefault(key, values.get(key)),
  )
  const config = Object.fromEntries(shown.map((key) => [key, values.get(key)]))
  // Every text in quotes: `None` and `3.10` stay texts for every reader.
  return stringify(config, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 })
}

function isDefault(key: ConfigKey, value: unknown): boolean {
  const { success, data } = configSchema.shape[key].safeParse(undefined)
  return success && JSON.stringify(data) === JSON.stringify(value)
}
