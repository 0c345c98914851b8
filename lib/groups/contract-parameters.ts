import * as z from 'zod'

/** The parameters of a group, and the values that each takes. */

/** An installation can set lower limits. */
export const maxGroupMembers = 10_000
const maxParameters = 32
const maxListedValues = 1_000
const maxValueCharacters = 1_000

const parameterName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    'the name of a parameter has 1 to 64 letters, digits and underscores, and begins with no digit',
  )
  .refine(
    (name) => !['index', 'repeat'].includes(name.toLowerCase()),
    'this name is reserved: choose another one',
  )

const finite = z.number().refine(Number.isFinite, 'must be a number')
export const parameterValue = z.union(
  [
    finite,
    z.boolean(),
    z
      .string()
      .max(maxValueCharacters, `must be at most ${maxValueCharacters} characters`)
      .refine(
        (text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text),
        'must not hold NUL or half a character',
      ),
  ],
  { error: 'must be a number, a text, true or false' },
)
export type ParameterValue = z.output<typeof parameterValue>
export type Parameters = Readonly<Record<string, ParameterValue>>

const list = z
  .array(parameterValue)
  .min(1, 'has no values: write at least one')
  .max(maxListedValues, `must have at most ${maxListedValues} values`)

/** Equal steps, or on a logarithmic scale equal factors, from the first to the last number. */
const range = z
  .strictObject({
    from: finite,
    to: finite,
    step: finite.gt(0, 'must be more than 0').optional(),
    scale: z.enum(['linear', 'log2', 'log10']).default('linear'),
  })
  .superRefine(({ from, to, step, scale }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (from > to) refuse('from', 'is more than `to`: exchange the two numbers')
    if (scale !== 'linear' && from <= 0) refuse('from', 'must be more than 0 on a logarithmic scale')
    if (scale !== 'linear' && step !== undefined) refuse('step', 'is only for the linear scale: remove it')
    if (scale === 'linear' && (to - from) / (step ?? 1) >= maxGroupMembers)
      refuse('to', `makes more than ${maxGroupMembers} values: use a larger step`)
  })

const interval = z.tuple([finite, finite], { error: 'must be two numbers, such as [0, 0.5]' })
/** Numbers between two others, for a random search. */
const distribution = z
  .strictObject({ uniform: interval.optional(), log_uniform: interval.optional() })
  .superRefine(({ uniform, log_uniform: log }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    if ((uniform === undefined) === (log === undefined))
      refuse([], 'must have one of uniform and log_uniform')
    if (uniform && uniform[0] >= uniform[1])
      refuse(['uniform'], 'the first number must be less than the second')
    if (!log) return
    if (log[0] <= 0) refuse(['log_uniform'], 'the first number must be more than 0')
    else if (log[0] >= log[1]) refuse(['log_uniform'], 'the first number must be less than the second')
  })

const dimension = z
  .unknown()
  .transform((value, context): z.output<typeof list | typeof range | typeof distribution> => {
    const isObject = typeof value === 'object' && value !== null
    if (!isObject) {
      context.addIssue({
        code: 'custom',
        message: 'must be a list of values, {from: , to: } or {uniform: [ , ]}',
      })
      return z.NEVER
    }
    const schema = Array.isArray(value) ? list : 'from' in value || 'to' in value ? range : distribution
    const parsed = (schema as z.ZodType).safeParse(value)
    if (parsed.success) return parsed.data as never
    for (const issue of parsed.error.issues)
      context.addIssue({ code: 'custom', path: issue.path, message: issue.message })
    return z.NEVER
  })
export type Dimension = z.output<typeof dimension>

export const matrixSchema = z
  .record(parameterName, dimension)
  .refine((given) => Object.keys(given).length > 0, 'has no parameters: write at least one')
  .refine(
    (given) => Object.keys(given).length <= maxParameters,
    `must have at most ${maxParameters} parameters`,
  )
  .superRefine((given, context) => {
    const seen = new Map<string, string>()
    for (const name of Object.keys(given)) {
      const other = seen.get(name.toUpperCase())
      if (other !== undefined) {
        const message = `has the same variable as ${other}, GPUQ_PARAM_${name.toUpperCase()}: rename one of the two`
        context.addIssue({ code: 'custom', path: [name], message })
      }
      seen.set(name.toUpperCase(), name)
    }
  })

export function isDistribution(one: Dimension): one is z.output<typeof distribution> {
  return !Array.isArray(one) && !('from' in one)
}
