import type { Argument, Command, Option } from 'commander'
import { GpuqError } from '@/lib/contract/errors'
import { ConfigOption } from './config-option'

/** Fields of the API that have another name in the options and arguments of commands. */
const otherNames: Readonly<Record<string, string>> = {
  ask_above_gpu_hours: 'askAbove',
  class_id: 'class',
  competition_id: 'competition',
  environments: 'environment',
  expires_in_days: 'expires',
  priority: 'number',
  project_id: 'project',
  projects: 'project',
  scopes: 'scope',
  user_id: 'user',
}

const toCamelCase = (name: string) =>
  name.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase())

const shownName = (one: Option | Argument) =>
  'long' in one ? (one.long ?? one.flags) : one.name().toUpperCase()

/**
 * The option or argument of a command that sets a field of a request, as people type it; undefined if there is none. The keys of a
 * config are not among them: they may be from a file.
 */
export function findOption(command: Command, field: string): string | undefined {
  const name = otherNames[field] ?? toCamelCase(field)
  const found =
    command.options.find((option) => !(option instanceof ConfigOption) && option.attributeName() === name) ??
    command.registeredArguments.find((argument) => toCamelCase(argument.name()) === name)
  return found && shownName(found)
}

/** Lets the errors of all parsers of options and arguments begin with its name. */
export function nameParsers(command: Command): void {
  for (const one of [...command.options, ...command.registeredArguments]) {
    const parse = one.parseArg
    if (parse !== undefined)
      one.argParser((text, before) => withName(shownName(one), () => parse(text, before)))
  }
  for (const one of command.commands) nameParsers(one)
}

function withName<Value>(name: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof GpuqError)) throw error
    throw new GpuqError(error.code, `${name}: ${error.message}`, { cause: error })
  }
}
