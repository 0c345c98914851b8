import { GpuqError } from '../contract/errors'
import type { Member } from './contract-members'
import { isMemberKey } from './contract-wave'

/* Apart from what accepts groups: the worker loads it, and nothing that reads requests. */

/** Refuses one member of a wave. */
export class MemberError extends GpuqError {}

/** Calls a function for a member. An error about the config of a member of a wave names it. */
export async function inMember<T>(
  { overrides, parameters }: Pick<Member, 'overrides' | 'parameters'>,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const isAboutConfig =
      error instanceof GpuqError && (error.code === 'invalid_fields' || error.code === 'never_fits')
    if (overrides === undefined || !isAboutConfig) throw error
    const { errors = [], message, code } = error
    const [first] = errors
    // What members share is no fault of one.
    if (first && !isMemberKey(first.path)) throw error
    const member = `members[${parameters.index}]`
    const separator = first && message.startsWith(`${first.path}: `) ? '.' : ': '
    throw new MemberError(code, `${member}${separator}${message}`, {
      errors: errors.map((one) => ({ ...one, path: `${member}.${one.path}` })),
    })
  }
}
