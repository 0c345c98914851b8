import { Option } from 'commander'

/** An option that sets a key of a job's config. Its value is stored under the name of the key. */
export class ConfigOption extends Option {
  constructor(
    readonly key: string,
    flags: string,
    description: string,
  ) {
    super(flags, description)
  }

  override attributeName(): string {
    return this.key
  }
}
