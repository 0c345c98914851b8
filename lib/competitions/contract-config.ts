import * as z from 'zod'
import { refusePath } from '../contract/archives/archive-paths'
import {
  amount,
  args,
  count,
  durationWithin,
  gpuFraction,
  label,
  note,
  shellCommand,
} from '../contract/config/values'
import { idSchema } from '../contract/jobs'
import { most } from './contract-limits'
import { isTimeZone, parseZonedTime } from './contract-zoned-time'

/* The file competition.yaml. Messages say what to change. */

export const visibilities = ['public', 'signed_in', 'members'] as const
export const joinRules = ['open', 'approve', 'roster'] as const
export const datasetRoles = ['public', 'sample', 'input', 'labels'] as const
/** What a scoring program expects: gpuq's own paths and file, or those of another product. */
export const scorerFormats = ['scores', 'codabench', 'gradescope'] as const

const atMost = (largest: number) => `must have at most ${largest} entries`

/** The name of a dataset, a phase or a column: it stands in paths, addresses and keys of JSON. */
export const nameSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,31}$/i,
    'use 1 to 32 letters, digits, dashes or underscores, and start with a letter',
  )

/** The name of a dataset, which is that of its snapshot too. */
const datasetNameSchema = nameSchema.regex(
  /^[a-z]([a-z0-9_-]*[a-z0-9])?$/,
  'use lower-case letters, and end with a letter or digit',
)

/** A path below the directory of competition.yaml. */
const pathSchema = z.string().superRefine((path, context) => {
  const why = refusePath(path.replace(/\/$/, ''))
  if (why !== null) context.addIssue({ code: 'custom', message: `${why}: write a path below the directory` })
})

const pageSchema = pathSchema.refine(
  (path) => path.endsWith('.md'),
  'must be a Markdown file, such as overview.md',
)

const userIds = z.array(idSchema).max(200, 'must have at most 200 user ids').default([])

const datasetSchema = z.strictObject({
  path: pathSchema,
  role: z.enum(datasetRoles),
})

export const columnSchema = z.strictObject({
  split: z.enum(['public', 'private']).default('public'),
  order: z.enum(['desc', 'asc']).default('desc'),
  digits: count(0, 10).default(4),
})

/** Columns with their places in the file. The database stores keys in an order of its own. */
function withPlaces(
  columns: Readonly<Record<string, z.output<typeof columnSchema>>>,
): Record<string, z.output<typeof columnSchema> & { place: number }> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column], place) => [name, { ...column, place }]),
  )
}

const outputSchema = z.strictObject({
  path: pathSchema,
  max_mb: amount(0.001, 10_240).default(100),
})

const seconds = durationWithin(
  z
    .number()
    .gt(0, 'must be more than 0 seconds')
    .lte(7 * 86_400, 'must be at most 7 days'),
)

const record = <Name extends z.ZodType<string, string>, Value extends z.ZodType>(
  name: Name,
  value: Value,
  largest: number,
) => z.record(name, value).refine((all) => Object.keys(all).length <= largest, atMost(largest))

const scorerKeys = z.strictObject({
  program: pathSchema,
  command: shellCommand.optional(),
  // Left out: scores. Without a default, a scoring program that was stored before there were formats is still the same.
  format: z.enum(scorerFormats).optional(),
  environment: idSchema.optional(),
  outputs: z
    .array(outputSchema)
    .min(1, 'names no file: write what the scorer reads')
    .max(most.outputs, atMost(most.outputs)),
  columns: record(nameSchema, columnSchema, most.columns)
    .refine((all) => Object.keys(all).length > 0, 'has no column')
    .transform(withPlaces),
  gpu_count: count(0, 8).default(0),
  max_time: seconds.default(600),
})

const ingestionWord = /\$(?:ingestion_program|submission_program|shared)\b/

const scorerSchema = scorerKeys
  .refine(({ format, command }) => command !== undefined || format === 'gradescope', {
    path: ['command'],
    message: 'needs a value: only an autograder with format: gradescope runs without one',
    // With the mistakes of other keys, as those of one key.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .refine(({ format, command = '' }) => format !== 'codabench' || !ingestionWord.test(command), {
    path: ['command'],
    message:
      'has a place of ingestion programs, which gpuq does not run: use only $input, $output, $program and $hidden',
  })

const runSchema = z.strictObject({
  environment: idSchema.optional(),
  gpu_count: count(0, 8).default(1),
  gpu_fraction: gpuFraction.optional(),
  gpu_memory_gb: amount(0.1, 1024).optional(),
  gpu_model: label(100).optional(),
  cpu: amount(0.1, 1024).optional(),
  memory_gb: amount(0.1, 16_384).optional(),
  max_time: seconds.default(1800),
})

const quotaSchema = z
  .strictObject({
    per_day: count(1, 10_000).optional(),
    total: count(1, 100_000).optional(),
    failures_per_day: count(1, 10_000).optional(),
  })
  .refine(
    ({ per_day, total }) => per_day !== undefined || total !== undefined,
    'needs per_day or total: a phase without a quota would accept entries without end',
  )

const selectSchema = z.discriminatedUnion(
  'rule',
  [
    z.strictObject({ rule: z.literal('best'), by: nameSchema }),
    z.strictObject({ rule: z.literal('last') }),
    z.strictObject({ rule: z.literal('chosen'), n: count(1, 10).default(2), fallback: nameSchema }),
  ],
  'must be {rule: best, by: COLUMN}, {rule: last} or {rule: chosen, n: 2, fallback: COLUMN}',
)

const lateSchema = z.strictObject({
  grace_minutes: count(0, 1440).default(0),
  percent_per_day: amount(0, 100),
  max_days: count(0, 100),
})

const boardSchema = z.strictObject({
  rank: nameSchema,
  final: nameSchema.optional(),
  ties: z.array(nameSchema).max(5, atMost(5)).default([]),
  freeze: z.string().optional(),
  reveal: z.enum(['manual', 'end']).default('manual'),
})

const phaseSchema = z.strictObject({
  key: nameSchema,
  title: label(120).optional(),
  start: z.string(),
  end: z.string(),
  inputs: z.array(nameSchema).max(most.datasets, atMost(most.datasets)).default([]),
  labels: z.array(nameSchema).max(most.datasets, atMost(most.datasets)).default([]),
  rehearse: nameSchema.optional(),
  logs: z.enum(['none', 'own']).default('none'),
  run: runSchema.prefault({}),
  quota: quotaSchema,
  late: lateSchema.optional(),
  points: amount(0.01, 100_000).optional(),
  select: selectSchema,
  board: boardSchema,
})

const keys = z.strictObject({
  slug: idSchema,
  title: label(120),
  pages: z.array(pageSchema).max(most.pages, atMost(most.pages)).default([]),
  timezone: z
    .string()
    .refine(isTimeZone, 'is no time zone: write one such as Europe/Berlin or UTC')
    .default('UTC'),
  visibility: z.enum(visibilities).default('signed_in'),
  join: z.enum(joinRules).default('open'),
  roster: pathSchema.optional(),
  team_max: count(1, most.teamMembers).default(1),
  terms: note.optional(),
  parallel: count(1, 256).default(16),
  roles: z
    .strictObject({ host: userIds, instructor: userIds, ta: userIds, observer: userIds })
    .partial()
    .default({}),
  datasets: record(datasetNameSchema, datasetSchema, most.datasets).default({}),
  scorer: scorerSchema,
  phases: z.array(phaseSchema).min(1, 'has no phase').max(most.phases, atMost(most.phases)),
})

type Keys = z.output<typeof keys>
type PhaseKeys = Keys['phases'][number]
type Refuse = (path: PropertyKey[], message: string) => void

/** Reads the times of a phase, which the schema has checked. */
const timesOf = ({ start, end, board }: PhaseKeys, timeZone: string) => ({
  starts: parseZonedTime(start, timeZone),
  ends: parseZonedTime(end, timeZone),
  freezes: board.freeze === undefined ? undefined : parseZonedTime(board.freeze, timeZone),
})

const notTime =
  'is no time: write one such as 2027-01-10T09:00, which is read in the time zone of the competition'

function checkTimes(phase: PhaseKeys, timeZone: string, refuse: Refuse): void {
  const { starts, ends, freezes } = timesOf(phase, timeZone)
  if (starts === null) refuse(['start'], notTime)
  if (ends === null) refuse(['end'], notTime)
  if (freezes === null) refuse(['board', 'freeze'], notTime)
  if (starts === null || ends === null) return
  if (ends <= starts) refuse(['end'], 'is not after the start of the phase')
  if (typeof freezes === 'number' && (freezes <= starts || freezes >= ends))
    refuse(['board', 'freeze'], 'must be between start and end of the phase')
}

function checkPhase(phase: PhaseKeys, { datasets, scorer, timezone }: Keys, refuse: Refuse): void {
  if (isTimeZone(timezone)) checkTimes(phase, timezone, refuse)
  const known = Object.keys(datasets).join(', ') || 'none'
  const requireDataset = (path: PropertyKey[], name: string, allowed: readonly string[]) => {
    const role = datasets[name]?.role
    if (role === undefined) refuse(path, `there is no dataset "${name}" under datasets: it has ${known}`)
    else if (!allowed.includes(role))
      refuse(path, `the dataset "${name}" has the role ${role}: here it must be ${allowed.join(' or ')}`)
  }
  for (const [index, name] of phase.inputs.entries())
    requireDataset(['inputs', index], name, ['public', 'input'])
  for (const [index, name] of phase.labels.entries()) requireDataset(['labels', index], name, ['labels'])
  if (phase.rehearse !== undefined) requireDataset(['rehearse'], phase.rehearse, ['public', 'sample'])
  const { gpu_count, gpu_fraction } = phase.run
  if (gpu_fraction !== undefined && gpu_count !== 1)
    refuse(['run', 'gpu_fraction'], 'is a part of one GPU: remove gpu_count or gpu_fraction')
  const columns = Object.keys(scorer.columns).join(', ')
  const requireColumn = (path: PropertyKey[], name: string, isPublic: boolean) => {
    const split = scorer.columns[name]?.split
    if (split === undefined) refuse(path, `there is no column "${name}": the scorer has ${columns}`)
    else if (isPublic && split !== 'public')
      refuse(
        path,
        `the column "${name}" is private, so participants must not see it before the end: use a public one`,
      )
  }
  const { select, board } = phase
  if (select.rule === 'best') requireColumn(['select', 'by'], select.by, true)
  if (select.rule === 'chosen') requireColumn(['select', 'fallback'], select.fallback, true)
  requireColumn(['board', 'rank'], board.rank, true)
  if (board.final !== undefined) requireColumn(['board', 'final'], board.final, false)
  for (const [index, name] of board.ties.entries()) requireColumn(['board', 'ties', index], name, true)
  checkGrades(phase, scorer, refuse)
}

function checkGrades({ late, points, board }: PhaseKeys, { columns }: Keys['scorer'], refuse: Refuse): void {
  // Less would be better after a penalty.
  for (const name of [board.rank, board.final ?? board.rank].filter((one) => columns[one]?.order === 'asc')) {
    const why = `takes a part of the column "${name}", where less is better: let the scoring program write a column where more is better, and rank by it`
    if (points !== undefined) refuse(['points'], why)
    if (late !== undefined && late.percent_per_day > 0) refuse(['late', 'percent_per_day'], why)
  }
  if (late !== undefined && board.reveal === 'end')
    refuse(
      ['board', 'reveal'],
      'shows private scores while late entries are accepted: write manual, and reveal the board after the last late entry',
    )
}

function refuseRepeated(names: readonly string[], refuse: (index: number, name: string) => void): void {
  for (const [index, name] of names.entries()) {
    if (names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) < index) refuse(index, name)
  }
}

/** The keys of competition.yaml. */
export const competitionConfigSchema = keys.superRefine((config, context) => {
  const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path, message })
  refuseRepeated(
    config.phases.map(({ key }) => key),
    (index, name) =>
      refuse(['phases', index, 'key'], `"${name}" is the key of an earlier phase: choose another`),
  )
  refuseRepeated(config.pages, (index, name) => refuse(['pages', index], `"${name}" is in the list twice`))
  const staff = Object.entries(config.roles).flatMap(([role, handles]) =>
    handles.map((handle, index) => ({ handle, path: ['roles', role, index] })),
  )
  refuseRepeated(
    staff.map(({ handle }) => handle),
    (index, handle) => refuse(staff[index]?.path ?? [], `"${handle}" has another role already: leave one`),
  )
  if (Object.hasOwn(config.datasets, 'scorer'))
    refuse(['datasets', 'scorer'], 'is the name of the scoring program: choose another')
  for (const [index, phase] of config.phases.entries())
    checkPhase(phase, config, (path, message) => refuse(['phases', index, ...path], message))
})

/** competition.yaml with its defaults. */
export type CompetitionConfig = z.output<typeof competitionConfigSchema>
export type PhaseConfig = CompetitionConfig['phases'][number]
export type LateRule = z.output<typeof lateSchema>
export type ScorerConfig = CompetitionConfig['scorer']
export type Column = z.output<typeof columnSchema>

/** A phase with instants instead of texts, in milliseconds. */
export function phaseTimes(
  phase: PhaseConfig,
  timeZone: string,
): { startMs: number; endMs: number; freezeMs: number | null } {
  const { starts, ends, freezes } = timesOf(phase, timeZone)
  if (starts === null || ends === null) throw new Error('The times of a phase were not checked.')
  return { startMs: starts, endMs: ends, freezeMs: freezes ?? null }
}

/** What an entry may say in its config; everything else comes from the phase. `project_id` is ignored. */
export const entryKeys = [
  'competition_id',
  'project_id',
  'user_id',
  'token',
  'expected_time',
  'name',
  'tags',
  'args',
  'phase',
] as const

export const entryArgs = args
