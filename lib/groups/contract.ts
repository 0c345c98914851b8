import * as z from 'zod'
import { budgetSchema } from '../budgets/contract'
import { configSchema, key, refuseCombinations } from '../contract/config/schema'
import { amount, count, label, note } from '../contract/config/values'
import { experimentFields, idSchema, submittedWithSchema } from '../contract/jobs'
import { uploadStatuses } from '../contract/status'
import { isDistribution, matrixSchema, maxGroupMembers, parameterValue } from './contract-parameters'
import { membersSchema, withOverrides } from './contract-wave'

/** Groups: many jobs of one program that differ in their parameters, submitted at once. */

/** How many members wait or run at once if the config does not say it. */
export const defaultParallel = 8

/** When members end early. */
export const stopSchema = z.strictObject({
  rule: z.enum(['median', 'asha']),
  reduction: count(2, 10).default(3),
  min_step: count(1, 1_000_000_000).default(1),
  resume: z.boolean().default(false),
})

/** The keys that make a config one of a group. */
const groupKeys = {
  matrix: key(
    matrixSchema.optional(),
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
  members: key(
    membersSchema(isGroupKey).optional(),
    'instead of a matrix: a list of members, each with the keys of a job in which it differs, such as args, env, gpu_count or name, and optionally an idempotency_key',
    [
      { name: 'adam', args: ['--optimizer', 'adam'] },
      { name: 'large', gpu_count: 2 },
    ],
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
    'ends members early whose objective is worse than that of others: asha keeps the best 1/reduction at step min_step and at each step reduction times larger; median ends those that are worse than the median at multiples of min_step; with resume, asha pauses members that have checkpoints, and continues those that are among the best later',
    { rule: 'asha', reduction: 3, min_step: 10, resume: true },
  ),
  budget_gpu_hours: key(
    amount(0.001, 100_000_000).optional(),
    'GPU hours that all members together may use: when they are used up, the group is cancelled',
    40,
  ),
}

function isGroupKey(name: string): boolean {
  return Object.hasOwn(groupKeys, name)
}

/** The keys of a group as it is stored: without the list of a wave, whose members have rows of their own. */
export const storedGroupSchema = z
  .strictObject({ ...configSchema.shape, ...groupKeys })
  .superRefine(refuseCombinations)

/** The list of a wave can be long. */
export const groupConfigLimits = { bytes: 512 * 1024, lexemes: 80_000 }

/** The keys of a `config.yaml` that makes a group. */
export const groupConfigSchema = storedGroupSchema
  .superRefine(
    (
      { matrix: given, array, members, search, samples, objective, stop, run_name, tty, fresh_nodes },
      context,
    ) => {
      const refuse = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message })
      const forms = Object.entries({ matrix: given, array, members }).filter(([, form]) => form !== undefined)
      const [form, other] = forms.map(([name]) => name)
      if (form === undefined)
        refuse(
          'matrix',
          'is missing: add a matrix of parameters, an array such as "0-99", or a list of members',
        )
      if (other !== undefined) refuse(other, `is another form of ${form}: remove one of the two keys`)
      if (search === 'random' && samples === undefined)
        refuse('samples', 'is missing: a random search needs a number')
      if (search === 'grid' && samples !== undefined) refuse('samples', 'is only for search: random')
      if (search === 'random' && given === undefined) refuse('search', 'needs a matrix')
      for (const [name, one] of Object.entries(given ?? {})) {
        if (search === 'grid' && isDistribution(one))
          context.addIssue({
            code: 'custom',
            path: ['matrix', name],
            message: 'has no list of values: use search: random with samples, or gpuq sweep --samples',
          })
      }
      if (stop !== undefined && objective === undefined)
        refuse('stop', 'needs an objective: add objective: {metric: val_loss, mode: min}')
      if (stop?.resume && stop.rule !== 'asha')
        refuse('stop', 'has resume, which is only for rule: asha. Remove it, or use asha')
      if (run_name !== undefined)
        refuse('run_name', 'is for one job: its members would share a run. Remove it')
      if (tty) refuse('tty', 'is for one job: remove it')
      if (fresh_nodes) refuse('fresh_nodes', 'is for one job: remove it')
    },
  )
  .superRefine((config, context) => {
    for (const [at, { idempotency_key: _, ...overrides }] of (config.members ?? []).entries()) {
      refuseCombinations(withOverrides(config, overrides), {
        addIssue: (issue) => context.addIssue({ ...issue, path: ['members', at, ...issue.path] }),
      })
    }
  })

export type ParsedGroupConfig = z.output<typeof groupConfigSchema>
export type GroupKey = keyof typeof groupKeys
export const groupKeyNames = Object.keys(groupKeys) as GroupKey[]

const time = z.string().describe('RFC 3339, UTC')

/** Where a group is. */
export const groupStatuses = ['running', 'completed', 'failed', 'cancelled'] as const

export const groupCountsSchema = z.object({
  held: z.int().describe('members that have not entered the queue yet'),
  paused: z.int().describe('members that stop.resume has paused: they wait, and use no GPU and no place'),
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
  kind: z.enum(['sweep', 'array', 'wave']),
  status: z
    .enum(groupStatuses)
    .describe(
      'running: a member is held, paused, waits or runs; failed: all ended, and one failed; cancelled: the group was cancelled',
    ),
  user_id: z.string(),
  project_id: idSchema,
  submitted_with: submittedWithSchema,
  competition_id: z.string(),
  members: z.int(),
  parallel: z.int().describe('members that may wait in the queue or run at once'),
  gpus: z.number().describe('GPUs that a member asks for that does not say another number'),
  parameters: z.array(z.string()).describe('the names of its parameters'),
  samples: z.int().nullable().describe('combinations of a random search; null: another group'),
  repeat: z.int().describe('how often each combination runs'),
  objective: z.object({ metric: z.string(), mode: z.enum(['min', 'max']) }).nullable(),
  counts: groupCountsSchema,
  ...experimentFields,
  followers: experimentFields.followers.describe(
    'number of jobs and groups that follow it, other than its own members',
  ),
  note: z.string().nullable().default(null).describe('text for people'),
  awaits_approval: z
    .boolean()
    .default(false)
    .describe('a person must approve what it may cost before its members start'),
  waits_for_others: z
    .boolean()
    .default(false)
    .describe('a job or group of its depends_on must end before its members start'),
  problem: z.string().nullable().describe('why the next member cannot enter the queue now; gpuq tries again'),
  created_at: time,
  ended_at: time.nullable(),
})
export type Group = z.output<typeof groupSchema>

/** Where a member is: in its group, or where its job is. */
export const memberStatuses = ['held', 'paused', ...uploadStatuses] as const

/** One row of `GET /api/groups/ID/members`. */
export const groupMemberSchema = z.object({
  index: z.int(),
  job_id: z.uuid().describe('the id of its job, which it has from the start'),
  has_job: z.boolean().describe('false: it has not entered the queue, or its job was deleted'),
  parameters: z
    .record(z.string(), parameterValue)
    .describe('of a wave: the keys in which the member differs; a variable is env.NAME'),
  repeat: z.int(),
  existing: z.boolean().describe('true: it is the job of an earlier wave, whose idempotency key it has'),
  status: z.enum(memberStatuses),
  reason_text: z.string().nullable(),
  exit_code: z.int().nullable(),
  gpus: z.number().nullable().describe('GPUs that its job asks for; null: it has no job'),
  objective: z
    .number()
    .nullable()
    .describe('the last value of the metric of the objective; null: none, or it was not finite'),
  metrics: z.record(z.string(), z.number()).describe('the last values'),
  not_finite: z
    .array(z.string())
    .default([])
    .describe(
      'the metrics whose last value was NaN or infinite, which is worse than every number; metrics leaves them out',
    ),
  started_at: time.nullable(),
  ended_at: time.nullable(),
})
export type GroupMember = z.output<typeof groupMemberSchema>

/** `GET /api/groups/ID`. */
export const groupDetailSchema = groupSchema.extend({
  best: groupMemberSchema
    .nullable()
    .describe('the completed member with the best objective; null: none, or no objective'),
  budget: budgetSchema.nullable().default(null).describe('null: budget_gpu_hours was not set'),
  hints: z
    .array(z.string())
    .optional()
    .describe('what may be a mistake in the config, and what to know of its directory and project'),
})
export type GroupDetail = z.output<typeof groupDetailSchema>

const hours = z
  .object({
    expected: z.number().describe('if each member takes its expected time'),
    most: z.number().describe('if each member takes its longest time; retries can add to it'),
  })
  .describe('of all new members together')

/** The answer of `POST /api/groups` with `?dry_run=true`. */
export const groupDryRunSchema = z.object({
  dry_run: z.literal(true),
  text: z.string().describe('what would happen, as a sentence'),
  kind: groupSchema.shape.kind,
  project_id: idSchema,
  project_note: z
    .string()
    .nullable()
    .describe('says that the submission would create the project; null: it exists'),
  members: z.int(),
  existing: z.int().describe('members of a wave whose keys are known, so that they are earlier jobs'),
  parallel: z.int().describe('members that would wait in the queue or run at once'),
  gpu_hours: hours,
  run_hours: hours,
  queue_position: z.int().nullable().describe('of the first new member; null: it has no place in the queue'),
  expected_start: time.nullable().describe('of the first new member; null: no start can be predicted'),
  expected_start_text: z
    .string()
    .nullable()
    .describe('what the time rests on, or what the group would wait for; null: neither'),
  hints: z.array(z.string()).describe('what may be a mistake'),
})
export type GroupDryRun = z.output<typeof groupDryRunSchema>

/** `GET /api/jobs/ID/group`. */
export const groupOfJobSchema = groupSchema
  .pick({ group_id: true, name: true, kind: true, members: true })
  .extend({
    member: groupMemberSchema,
    failed_jobs: z
      .array(z.uuid())
      .describe('earlier jobs of the member that failed and were run again, oldest first'),
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
  status: z.enum(memberStatuses).optional(),
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

/** `POST /api/groups/ID/extend`: what the group has afterwards, so that a repeated request adds nothing. */
export const extendGroupSchema = z.strictObject({
  samples: count(1, maxGroupMembers)
    .optional()
    .describe('combinations of a random search, with those that it has'),
  repeat: count(1, 100).optional().describe('how often each combination runs, with the times that it ran'),
})

/** `PATCH /api/groups/ID`. */
export const updateGroupSchema = z.strictObject({
  note: note.nullable().describe('text for people; null or empty: none'),
})

/** `POST /api/groups` with JSON. */
export const createGroupSchema = z.strictObject({
  config: z.record(z.string(), z.unknown()).describe('the keys of config.yaml, with a command'),
})
