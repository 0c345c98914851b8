import * as z from 'zod'
import { describeIssue } from '../contract/config/issues'
import { nearestKey } from '../contract/config/names'
import { bare } from '../contract/config/offered-keys'
import { configSchema, type ParsedConfig } from '../contract/config/schema'
import { hiddenValue } from '../contract/config/values'
import { idempotencyKeySchema } from '../contract/jobs'
import type { Parameters } from './contract-parameters'

/** Waves: groups whose members differ in the keys of their configs. */

export const maxWaveMembers = 1_000
const maxShownCharacters = 1_000
/** More would not help, and each has a sentence. */
const maxMistakes = 20

const ofOneJob = 'is for one job: remove it'
const sharedFiles =
  'is for the whole group, because its members share their files: write it outside of members'

/** The keys of a job that a member cannot have, and why. A new key of a job is one of members too. */
const refusedKeys = {
  competition_id: 'is for the whole group, which belongs to one competition: write it outside of members',
  project_id: 'is for the whole group, which belongs to one project: write it outside of members',
  user_id: 'is for the whole group, which has one owner: write it outside of members',
  token: 'is for the whole request: write it outside of members',
  archive: sharedFiles,
  working_directory: sharedFiles,
  mounts: sharedFiles,
  host_script: sharedFiles,
  conda_prefix: sharedFiles,
  bucket: 'is for the whole group, because its project has one bucket: write it outside of members',
  depends_on:
    'is for the whole group, whose members start after these jobs and groups: write it outside of members',
  notify_url: 'is for the whole group, which sends one message at its end: write it outside of members',
  run_name: ofOneJob,
  tty: ofOneJob,
  fresh_nodes: ofOneJob,
  provision_args: ofOneJob,
} as const satisfies Partial<Record<keyof ParsedConfig, string>>

/** What a member of a wave has instead of the values of its group. */
export type Overrides = Partial<Omit<ParsedConfig, keyof typeof refusedKeys>>

export type WaveMember = Overrides & { idempotency_key?: string | undefined }

const memberShape: Record<string, z.ZodType> = {
  ...Object.fromEntries(
    Object.entries(configSchema.shape)
      .filter(([key]) => !Object.hasOwn(refusedKeys, key))
      .map(([key, schema]) => [key, bare(schema).optional()]),
  ),
  idempotency_key: idempotencyKeySchema.optional(),
}
const memberSchema = z.strictObject(memberShape)

/** The members of a wave. @param isGroupKey whether a key is one of groups, which a member cannot have */
export const membersSchema = (isGroupKey: (key: string) => boolean) =>
  z.unknown().transform((given, context): WaveMember[] => {
    let mistakes = 0
    const refuse = (path: PropertyKey[], message: string) => {
      mistakes += 1
      if (mistakes <= maxMistakes) context.addIssue({ code: 'custom', path, message })
    }
    if (!Array.isArray(given)) refuse([], 'must be a list of members, each with the keys in which it differs')
    else if (given.length === 0) refuse([], 'has no members: write at least one')
    else if (given.length > maxWaveMembers)
      refuse(
        [],
        `has ${given.length.toLocaleString('en')} members, and a wave has at most ${maxWaveMembers.toLocaleString('en')}: send several waves`,
      )
    if (mistakes > 0) return z.NEVER
    const keys = new Map<string, number>()
    const members = (given as unknown[]).map((member, at) => {
      const parsed = mistakes < maxMistakes ? readMember(member, isGroupKey) : { mistakes: [], member: {} }
      for (const { path, message } of parsed.mistakes) refuse([at, ...path], message)
      const key = parsed.member.idempotency_key
      const other = key === undefined ? undefined : keys.get(key)
      if (other !== undefined)
        refuse([at, 'idempotency_key'], `is also that of members[${other}]: each member has a key of its own`)
      if (key !== undefined) keys.set(key, at)
      return parsed.member
    })
    return mistakes > 0 ? z.NEVER : members
  })

interface ReadMember {
  member: WaveMember
  mistakes: { path: PropertyKey[]; message: string }[]
}

function readMember(given: unknown, isGroupKey: (key: string) => boolean): ReadMember {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const message = 'must be a mapping of keys to values, such as {args: [--lr, "0.1"]}'
    return { member: {}, mistakes: [{ path: [], message }] }
  }
  const parsed = memberSchema.safeParse(given, { error: describeIssue })
  if (parsed.success) return { member: parsed.data as WaveMember, mistakes: [] }
  const mistakes = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [key], message: describeUnknown(key, isGroupKey) }))
      : [{ path: issue.path, message: issue.message }],
  )
  return { member: {}, mistakes }
}

/** Why a member cannot have a key. The key itself is not repeated, because it may be a piece of the token. */
function describeUnknown(key: string, isGroupKey: (key: string) => boolean): string {
  if (Object.hasOwn(refusedKeys, key)) return refusedKeys[key as keyof typeof refusedKeys]
  if (isGroupKey(key)) return 'is a key of the group: write it outside of members'
  const near = nearestKey(key, Object.keys(memberShape))
  return near === null ? 'is no key of a job: remove it' : `is no key of a job: did you mean \`${near}\`?`
}

/** Whether an error about this key of a job can be the fault of one member. */
export const isMemberKey = (path: string) => Object.hasOwn(memberShape, path.split('.')[0] ?? '')

/** The config of a job with the overrides of a member. Its variables are added to those of the group; every other value replaces that of the group. */
export function withOverrides<Config extends Pick<ParsedConfig, 'env'>>(
  config: Config,
  overrides: Overrides | undefined,
): Config {
  if (overrides === undefined) return config
  const { gpu_count, gpu_fraction, env } = overrides
  return {
    ...config,
    // A member that asks for whole GPUs does not ask for the part of the group, and the other way round.
    ...(gpu_count !== undefined && { gpu_fraction: undefined }),
    ...(gpu_fraction !== undefined && { gpu_count: 1 }),
    ...((gpu_count !== undefined || gpu_fraction !== undefined) && { gpusChosen: true }),
    ...overrides,
    env: { ...config.env, ...env },
  }
}

/** The overrides of a member as its parameters: each variable is one, and a list is one text. */
export function parametersOf(overrides: Overrides): Parameters {
  const { env = {}, ...others } = overrides
  const variables = Object.entries(env).map(([name, value]) => [`env.${name}`, value])
  const shown = Object.entries(others)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, typeof value === 'object' ? describeValue(value) : value])
  return Object.fromEntries(
    [...shown, ...variables].map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > maxShownCharacters
        ? `${value.slice(0, maxShownCharacters - 1)}…`
        : value,
    ]),
  )
}

/** The overrides for a reader who may not see what may be a secret of the user: variables without their values. */
export function withoutSecrets({ env, ...others }: Overrides): Overrides {
  if (env === undefined) return others
  return { ...others, env: Object.fromEntries(Object.keys(env).map((name) => [name, hiddenValue])) }
}

const describeValue = (value: object) => (Array.isArray(value) ? value.join(' ') : JSON.stringify(value))
