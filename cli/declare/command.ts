import { Option } from 'commander'
import type { ConfigKey } from '@/lib/contract/config/schema'
import type { Context } from '../context'

/** The action of a command. Loads the command's code only now, so that `--help` and `--version` start fast. */
export function lazily<Args extends unknown[]>(
  load: () => Promise<(context: Context, ...args: Args) => Promise<number>>,
) {
  return async (...args: unknown[]): Promise<void> => {
    const { runCommand } = await import('../run-command')
    // Commander's last argument is its own command object.
    await runCommand(async (context) => (await load())(context, ...(args.slice(0, -1) as Args)))
  }
}

/** An option that sets a key of a job's config. Its value is stored under the name of the key. */
class ConfigOption extends Option {
  constructor(
    readonly key: ConfigKey,
    flags: string,
    description: string,
  ) {
    super(flags, description)
  }

  override attributeName(): string {
    return this.key
  }
}

/** The long flag of each declared config option. */
const flagsByKey = new Map<string, string>()

/** The option that sets a config key, as people type it; undefined if there is none. */
export function flagOf(key: string): string | undefined {
  // One option sets one of two keys.
  return key === 'gpu_count' || key === 'gpu_fraction' ? '--gpus' : flagsByKey.get(key)
}

export function configOption<Value = string>(
  key: ConfigKey,
  flags: string,
  description: string,
  parse?: (text: string, previous: Value) => Value,
): Option {
  const option = new ConfigOption(key, flags, description)
  if (option.long) flagsByKey.set(key, option.long)
  return parse ? option.argParser(parse) : option
}

export const jsonFlag = ['--json', 'print JSON'] as const
export const jobIdHelp = 'id of the job, or the start of it'
