import * as z from 'zod'

/** Maximum number of arguments of a job for the command that starts its nodes. */
const maxArgs = 16

const argPattern = /^--[a-z][a-z0-9-]{0,62}(=[A-Za-z0-9._:/@,=+-]{1,200})?$/

/**
 * Arguments that a job passes to the command that starts its nodes. They reach it one per line in an environment variable. The
 * characters exclude blanks, quotes and everything else that a shell interprets.
 */
export const provisionArgs = z
  .array(
    z.string().regex(argPattern, 'must be an option such as --network=research, without blanks and quotes'),
  )
  .max(maxArgs, `must have at most ${maxArgs} entries`)

/** The name of the option: `--network` of `--network=research`. */
export function provisionOption(arg: string): string {
  return arg.split('=', 1)[0] ?? arg
}
