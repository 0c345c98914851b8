import type { ParsedConfig } from '../contract/config/schema'
import type { Member } from './contract-members'
import type { Parameters } from './contract-parameters'
import { withOverrides } from './contract-wave'

const safeWord = /^[A-Za-z0-9_.,:/@%+=-]+$/

/** A value as one word of a shell. */
const quoted = (text: string) => (safeWord.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** Replaces `{name}` of known parameters. Other braces stay. */
function replaceNames(text: string, parameters: Parameters, write: (text: string) => string): string {
  return text.replace(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) =>
    Object.hasOwn(parameters, name) ? write(String(parameters[name])) : whole,
  )
}

type MemberConfig = Pick<ParsedConfig, 'args' | 'command' | 'env' | 'name'>

/** The config of a member's job: with its overrides, and its parameters in arguments, in the command and in variables. */
export function configOfMember<Config extends MemberConfig>(
  group: Config,
  { index, parameters, repeat, overrides, repeats }: Member & { repeats: number },
): Config {
  const config = withOverrides(group, overrides)
  const names = Object.keys(parameters)
  const asVariables = Object.fromEntries(
    names.map((name) => [`GPUQ_PARAM_${name.toUpperCase()}`, String(parameters[name])]),
  )
  const { command } = config
  return {
    ...config,
    // A name of its own tells a member from the others.
    name: nameOfMember(
      config.name,
      index,
      overrides?.name === undefined ? parameters : {},
      repeats > 1 ? repeat : null,
    ),
    args: config.args.map((argument) => replaceNames(argument, parameters, (text) => text)),
    ...(command !== undefined && { command: replaceNames(command, parameters, quoted) }),
    env: {
      ...config.env,
      ...asVariables,
      GPUQ_PARAMS: JSON.stringify(parameters),
      GPUQ_REPEAT: String(repeat),
      ...(Object.hasOwn(parameters, 'index') && { GPUQ_ARRAY_INDEX: String(parameters.index) }),
    },
  }
}

const maxNameCharacters = 200

function nameOfMember(
  name: string | undefined,
  index: number,
  parameters: Parameters,
  repeat: number | null,
): string {
  const values = Object.entries(parameters).map(([key, value]) => `${key}=${value}`)
  if (repeat !== null) values.push(`repeat=${repeat}`)
  const text = [name ?? `#${index}`, ...values]
    .join(' ')
    .replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, ' ')
  const characters = [...text]
  return characters.length <= maxNameCharacters
    ? text
    : `${characters.slice(0, maxNameCharacters - 1).join('')}…`
}

/** More would hide the first. */
const maxUnknownNames = 20

/** What may be a mistake: a parameter that nothing names, and names in braces that are no parameters. */
export function hintsOf(
  config: Pick<MemberConfig, 'args' | 'command'>,
  members: readonly Pick<Member, 'parameters' | 'overrides'>[],
  code: string,
): string[] {
  const parameters = Object.keys(members[0]?.parameters ?? {})
  const overrides = members.flatMap((member) => member.overrides ?? [])
  const texts = [config, ...overrides].flatMap(({ args = [], command = '' }) => [...args, command])
  const used = new Set(
    texts.flatMap((text) => [...text.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = '']) => name)),
  )
  const readsVariables = /GPUQ_PARAM|GPUQ_ARRAY_INDEX/.test([...texts, code].join('\n'))
  const unused = readsVariables ? [] : parameters.filter((name) => name !== 'index' && !used.has(name))
  const unknown = [...used].filter((name) => !parameters.includes(name)).slice(0, maxUnknownNames)
  return [
    ...unused.map(
      (name) =>
        `Neither args nor command contains {${name}}. The program can read the value from GPUQ_PARAM_${name.toUpperCase()}.`,
    ),
    ...unknown.map((name) => `{${name}} names no parameter, so it stays as it is.`),
  ]
}
