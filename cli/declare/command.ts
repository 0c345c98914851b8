import type { Command } from 'commander'
import type { Context } from '../context'
import { ConfigOption } from './config-option'
import { configOptions, type ConfigOption as DeclaredOption } from './config-options'
import { findOption } from './option-names'
import { addMount, addText, addVariable, parseDuration, parseInteger, parseNumber } from './values'

/**
 * The action of a command. Loads the command's code only now, so that `--help` and `--version` start fast. Errors about fields of a
 * request name the options of the command.
 */
export function lazily<Args extends unknown[]>(
  load: () => Promise<(context: Context, ...args: Args) => Promise<number>>,
) {
  return async (...args: unknown[]): Promise<void> => {
    const { runCommand } = await import('../run-command')
    // Commander's last argument is its own command object.
    const command = args.at(-1) as Command
    await runCommand(async (context) => {
      try {
        return await (await load())(context, ...(args.slice(0, -1) as Args))
      } catch (error) {
        const { nameOptions } = await import('../job/option-errors')
        throw nameOptions(error, (field) => findOption(command, field))
      }
    })
  }
}

/** As {@link lazily}, for a command whose first argument is the id of a job, or several: it explains the id of something else. */
export function lazilyOfJob<Given extends string | readonly string[] | undefined, Rest extends unknown[]>(
  load: () => Promise<(context: Context, given: Given, ...rest: Rest) => Promise<number>>,
) {
  return lazily<[Given, ...Rest]>(async () => {
    const act = await load()
    return async (context, given, ...rest) => {
      try {
        return await act(context, given, ...rest)
      } catch (error) {
        const { explainNotFound } = await import('../job/whole-ids')
        throw await explainNotFound(context, [given ?? []].flat(), error)
      }
    }
  })
}

/** How the text of an option becomes the value of a key. */
const parsers = {
  text: null,
  flag: null,
  number: parseNumber,
  integer: parseInteger,
  duration: parseDuration,
  list: addText,
  variables: addVariable,
  mounts: addMount,
} as const satisfies Record<DeclaredOption['value'], unknown>

/** Adds the options of a command that set keys of the config. */
export function addConfigOptions(
  command: Command,
  name: 'submit' | 'run',
  options: Readonly<Record<string, DeclaredOption>> = configOptions,
): void {
  for (const [key, { flags, value, needsDirectory, [name]: description }] of Object.entries(options)) {
    if (description === undefined) continue
    const note = name === 'run' && needsDirectory ? ' (needs a directory)' : ''
    const option = new ConfigOption(key, flags, description + note)
    const parse = parsers[value]
    command.addOption(parse === null ? option : option.argParser(parse as (text: string) => unknown))
  }
}

export const jsonFlag = ['--json', 'print JSON'] as const
export const jobIdHelp = 'id of the job, or the start of it'
