import * as z from 'zod'
import { describeIssue } from '../contract/config/issues'
import { checkKeys } from '../contract/config/keys'
import { nearestKey } from '../contract/config/names'
import { locate, plainConfig } from '../contract/config/plain'
import { readYaml } from '../contract/config/yaml'
import type { FieldError } from '../contract/errors'
import { type CompetitionConfig, competitionConfigSchema } from './contract-config'
import { maxCompetitionBytes } from './contract-limits'

/** Words and signs of YAML. The largest file names 800 users and has 20 phases. */
const maxLexemes = 20_000
const maxErrors = 20

export type ParsedCompetition = { ok: true; config: CompetitionConfig } | { ok: false; errors: FieldError[] }

/** The file has no secrets, so its errors may repeat every key. */
const names = { mayRepeat: () => true }

/** Reads a competition.yaml. Every mistake names its key and what to change. Runs in the browser as well. */
export function parseCompetition(text: string): ParsedCompetition {
  if (new TextEncoder().encode(text).length > maxCompetitionBytes)
    return refuse([{ path: 'config', message: `must be at most ${maxCompetitionBytes / 1024} KiB` }])
  const read = readYaml(text.replace(/^\ufeff/, ''), maxLexemes)
  if (!read.ok) return refuse(read.errors.map((error) => ({ ...error, path: 'config' })))
  const { root, placeOf } = read
  const keys = root.entries.map(({ key }) => key)
  const parsed = competitionConfigSchema.safeParse(plainConfig(root, keys), { error: describeIssue })
  const wrongKeys = checkKeys(root, names, keys)
  if (parsed.success && wrongKeys.length === 0) return { ok: true, config: parsed.data }
  const wrongValues = (parsed.error?.issues ?? [])
    .flatMap(describeUnknown)
    .map(({ path, message }) => ({ ...locate(root, path, names), message }))
  const mistakes = [...wrongKeys, ...wrongValues].toSorted((a, b) => a.offset - b.offset)
  return refuse(
    mistakes.map(({ path, message, offset }) => ({ path: path || 'config', message, ...placeOf(offset) })),
  )
}

const refuse = (errors: FieldError[]): ParsedCompetition => ({
  ok: false,
  errors: errors.slice(0, maxErrors),
})

interface Mistake {
  path: PropertyKey[]
  message: string
}

/** An unknown key, with the key that was probably meant; every other issue as it is. */
function describeUnknown(issue: z.core.$ZodIssue): Mistake[] {
  if (issue.code !== 'unrecognized_keys') return [issue]
  const known = keysAt(competitionConfigSchema, issue.path)
  return issue.keys.map((key) => {
    const near = nearestKey(key, known)
    const hint = near === null ? `the keys are ${known.join(', ')}` : `did you mean \`${near}\`?`
    return { path: [...issue.path, key], message: `unknown key: ${hint}` }
  })
}

/** The keys that the schema has at a path. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return keysAt(schema.unwrap(), path)
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path)
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.options.flatMap((option) => keysAt(option, path)))]
  const [step, ...rest] = path
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest)
  if (schema instanceof z.ZodRecord) return keysAt(schema.valueType, rest)
  if (!(schema instanceof z.ZodObject)) return []
  const next = step === undefined ? undefined : schema.shape[String(step)]
  return next === undefined ? Object.keys(schema.shape) : keysAt(next, rest)
}
