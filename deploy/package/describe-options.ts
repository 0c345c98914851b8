import * as z from 'zod'
import type { ConfigOption } from '@/cli/declare/config-options'
import { bare, type KeyOffer } from '@/lib/contract/config/offered-keys'
import { offers } from '@/lib/contract/config/offers'
import { configSchema } from '@/lib/contract/config/schema'

/** The options that set keys of the config (`cli/declare/config-options.ts`). */
export function describeOptions(
  shape: Readonly<Record<string, z.ZodType>> = configSchema.shape,
  of: Readonly<Record<string, KeyOffer>> = offers,
): Record<string, ConfigOption> {
  const options = Object.entries(shape).flatMap(([key, schema]) => {
    const { option = {}, queue } = of[key] ?? {}
    if (option === false) return []
    const value = option.value ?? writtenAs(bare(schema))
    const shown = option.description ?? schema.meta()?.description ?? ''
    const described = typeof shown === 'string' ? { submit: shown, run: shown } : shown
    const needsDirectory = option.needsDirectory ?? queue === false
    const texts = Object.entries(described).filter(
      ([command]) => option.commands?.some((one) => one === command) ?? true,
    )
    const flags =
      option.flags ?? `--${key.replaceAll('_', '-')}${value === 'flag' ? '' : ` <${words[value]}>`}`
    const declared: ConfigOption = { flags, value, ...Object.fromEntries(texts), needsDirectory }
    return [[key, declared] as const]
  })
  return Object.fromEntries(options)
}

const words = {
  text: 'text',
  number: 'number',
  integer: 'number',
  duration: 'time',
  list: 'text',
  variables: 'name=value',
  mounts: 'path=snapshot',
} as const

/** How a value of a schema is written as an option. */
function writtenAs(schema: z.ZodType): ConfigOption['value'] {
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'integer' : 'number'
  if (schema instanceof z.ZodBoolean) return 'flag'
  if (schema instanceof z.ZodArray) return 'list'
  return schema instanceof z.ZodRecord ? 'variables' : 'text'
}

/** The source text of `cli/declare/config-options.ts`, before it is formatted. */
export function optionsText(options: Record<string, ConfigOption>): string {
  return `/** An option of \`gpuq submit\` and \`gpuq run\` that sets a key of the config. */
export interface ConfigOption {
  flags: string
  value: 'text' | 'number' | 'integer' | 'duration' | 'flag' | 'list' | 'variables' | 'mounts'
  /** What the help of the command says; left out: the command does not have it. */
  submit?: string
  run?: string
  /** \`gpuq run\` has it only with a directory. */
  needsDirectory: boolean
}

/**
 * The options by their keys. \`npm run docs\` writes this file from lib/contract/config: the command line loads it instead of the schema, which
 * needs zod.
 */
export const configOptions: Readonly<Record<string, ConfigOption>> = ${JSON.stringify(options, null, 2)}
`
}
