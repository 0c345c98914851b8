import { Option } from 'commander'

/** The long flag of each declared config option. */
const flagsByKey = new Map<string, string>()

/** An option that sets a key of a job's config. Its value is stored under the name of the key. */
export class ConfigOption extends Option {
  constructor(
    readonly key: string,
    flags: string,
    description: string,
  ) {
    super(flags, description)
    if (this.long) flagsByKey.set(key, this.long)
  }

  override attributeName(): string {
    return this.key
  }
}

/** The option that sets a config key, as people type it; undefined if there is none. */
export function flagOf(key: string): string | undefined {
  // One option sets one of two keys.
  return key === 'gpu_count' || key === 'gpu_fraction' ? '--gpus' : flagsByKey.get(key)
}
