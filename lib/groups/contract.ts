import * as z from 'zod'
import { configSchema, key, refuseCombinations } from '../contract/config/schema'
import { count, label } from '../contract/config/values'
import { idSchema } from '../contract/jobs'
import { uploadStatuses } from '../contract/status'

/** Groups: many jobs of one program that differ in their parameters, submitted at once. */

/** An installation can set lower limits. */
export const maxGroupMembers = 10_000
const maxParameters = 32
const maxListedValues = 1_000
const maxValueCharacters = 1_000
/** How many members wait or run at once if the config does not say it. */
export const defaultParallel = 8

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
const parameterValue = z.union(
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

const matrix = z
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

/** When members end early. */
export const stopSchema = z.strictObject({
  rule: z.enum(['median', 'asha']),
  reduction: count(2, 10).default(3),
  min_step: count(1, 1_000_000_000).default(1),
})

/** The keys that make a config one of a group. */
const groupKeys = {
  matrix: key(
    matrix.optional(),
    'the values of each parameter: a list, {from: 64, to: 512, scale: log2}, {from: 1, to: 5, step: 2}, or for a random search {uniform: [0, 0.5]} and {log_uniform: [0.0001, 0.1]}',
    { lr: [0.1, 0.01], width: { from: 64, to: 256, scale: 'log2' } },
  ),
  array: key(
    z
      .union([z.string(), z.int()], { error: 'must be numbers and ranges, such as "0-99"' })
      .transform(String)
      .optional(),
    'instead of a matrix: numbers of the members, as Slurm writes them: 0-99, 0-9:3, 1,4,7 or 0-99%8, where 8 is the value of parallel',
    '0-99%8',
  ),
  search: key(
    z.enum(['grid', 'random']).default('grid'),
    'grid: each combination of the values; random: as many combinations as samples says',
    'random',
  ),
  samples: key(count(1, maxGroupMembers).optional(), 'number of combinations of a random search', 200),
  seed: key(count(0, 2 ** 31 - 1).default(0), 'a random search with the same seed has the same members', 1),
  repeat: key(count(1, 100).default(1), 'how often each combination runs, with GPUQ_REPEAT from 0', 5),
  parallel: key(
    count(1, maxGroupMembers).optional(),
    `number of members that wait in the queue or run at once; default: ${defaultParallel}`,
    8,
  ),
  objective: key(
    z.strictObject({ metric: label(128), mode: z.enum(['min', 'max']) }).optional(),
    'the metric that tells which member is the best, and whether a small or a large value is better',
    { metric: 'val_loss', mode: 'min' },
  ),
  stop: key(
    stopSchema.optional(),
    'ends members early whose objective is worse than that of others: asha keeps the best 1/reduction at step min_step and at each step reduction times larger; median ends those that are worse than the median at multiples of min_step',
    { rule: 'asha', reduction: 3, min_step: 10 },
  ),
}

/** The keys of a `config.yaml` that makes a group. */
export const groupConfigSchema = z
  .strictObject({ ...configSchema.shape, ...groupKeys })
  .superRefine(refuseCombinations)
  .superRefine(
    ({ matrix: given, array, search, samples, objective, stop, run_name, tty, fresh_nodes }, context) => {
      const refuse = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message })
      if (given === undefined && array === undefined)
        refuse('matrix', 'is missing: add a matrix of parameters, or an array such as "0-99"')
      if (given !== undefined && array !== undefined)
        refuse('array', 'is another form of matrix: remove one of the two keys')
      if (search === 'random' && samples === undefined)
        refuse('samples', 'is missing: a random search needs a number')
      if (search === 'grid' && samples !== undefined) refuse('samples', 'is only for search: random')
      if (search === 'random' && given === undefined) refuse('search', 'needs a matrix')
      for (const [name, one] of Object.entries(given ?? {})) {
        if (search === 'grid' && isDistribution(one))
          context.addIssue({
            code: 'custom',
            path: ['matrix', name],
            message: 'has no grid: add search: random and samples',
          })
      }
      if (stop !== undefined && objective === undefined)
        refuse('stop', 'needs an objective: add objective: {metric: val_loss, mode: min}')
      if (run_name !== undefined)
        refuse('run_name', 'is for one job: its members would share a run. Remove it')
      if (tty) refuse('tty', 'is for one job: remove it')
      if (fresh_nodes) refuse('fresh_nodes', 'is for one job: remove it')
    },
  )

export type ParsedGroupConfig = z.output<typeof groupConfigSchema>
export type GroupKey = keyof typeof groupKeys
export const groupKeyNames = Object.keys(groupKeys) as GroupKey[]

export function isDistribution(one: Dimension): one is z.output<typeof distribution> {
  return !Array.isArray(one) && !('from' in one)
}

const time = z.string().describe('RFC 3339, UTC')

/** Where a group is. */
export const groupStatuses = ['running', 'completed', 'failed', 'cancelled'] as const

export const groupCountsSchema = z.object({
  held: z.int().describe('members that have not entered the queue yet'),
  pending: z.int(),
  running: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
})

/** `POST /api/groups`, and one row of `GET /api/groups`. */
export const groupSchema = z.object({
  group_id: z.uuid(),
  name: z.string().nullable(),
  kind: z.enum(['sweep', 'array']),
  status: z
    .enum(groupStatuses)
    .describe(
      'running: a member is held, waits or runs; failed: all ended, and one failed; cancelled: the group was cancelled',
    ),
  user_id: z.string(),
  project_id: idSchema,
  competition_id: z.string(),
  members: z.int(),
  parallel: z.int().describe('members that may wait in the queue or run at once'),
  gpus: z.number().describe('GPUs that a member asks for'),
  parameters: z.array(z.string()).describe('the names of its parameters'),
  objective: z.object({ metric: z.string(), mode: z.enum(['min', 'max']) }).nullable(),
  counts: groupCountsSchema,
  problem: z.string().nullable().describe('why the next member cannot enter the queue now; gpuq tries again'),
  created_at: time,
  ended_at: time.nullable(),
})
export type Group = z.output<typeof groupSchema>

/** One row of `GET /api/groups/ID/members`. */
export const groupMemberSchema = z.object({
  index: z.int(),
  job_id: z.uuid().describe('the id of its job, which it has from the start'),
  has_job: z.boolean().describe('false: it has not entered the queue, or its job was deleted'),
  parameters: z.record(z.string(), parameterValue),
  repeat: z.int(),
  status: z.enum(['held', ...uploadStatuses]),
  reason_text: z.string().nullable(),
  exit_code: z.int().nullable(),
  objective: z.number().nullable().describe('the last value of the metric of the objective'),
  metrics: z.record(z.string(), z.number()),
  started_at: time.nullable(),
  ended_at: time.nullable(),
})
export type GroupMember = z.output<typeof groupMemberSchema>

/** `GET /api/groups/ID`. */
export const groupDetailSchema = groupSchema.extend({
  best: groupMemberSchema
    .nullable()
    .describe('the completed member with the best objective; null: none, or no objective'),
  hints: z.array(z.string()).optional().describe('what may be a mistake in the config'),
})
export type GroupDetail = z.output<typeof groupDetailSchema>

/** `GET /api/jobs/ID/group`. */
export const groupOfJobSchema = groupSchema
  .pick({ group_id: true, name: true, kind: true, members: true })
  .extend({
    member: groupMemberSchema,
    previous: z.uuid().nullable().describe('the job of the member before it; null: there is none'),
    next: z.uuid().nullable().describe('the job of the member after it; null: there is none yet'),
  })
export type GroupOfJob = z.output<typeof groupOfJobSchema>

export const groupListQuerySchema = z.object({
  all: z.stringbool().optional().describe('the groups of all users, for admins only'),
  active: z.stringbool().optional().describe('true: only groups that have not ended'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(200).optional().describe('from the Link header of the previous page'),
})

export const memberListQuerySchema = z.object({
  status: z.enum(['held', ...uploadStatuses]).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  cursor: z.string().max(200).optional().describe('from the Link header of the previous page'),
})

export const waitQuerySchema = z.object({
  for: z.enum(['all', 'any']).default('all').describe('any: until the next member ends'),
  ended: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('with any: return when more members than this have ended; default: than at the request'),
  seconds: z.coerce.number().int().min(0).max(60).default(60),
})

/** `POST /api/groups` with JSON. */
export const createGroupSchema = z.strictObject({
  config: z.record(z.string(), z.unknown()).describe('the keys of config.yaml, with a command'),
})
