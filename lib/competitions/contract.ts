import * as z from 'zod'
import { time } from '../contract/access/access'
import { isStorableText, label } from '../contract/config/values'
import { idSchema } from '../contract/jobs'
import { datasetRoles, joinRules, nameSchema, visibilities } from './contract-config'
import { maxCompetitionBytes, maxInvitations, maxPageBytes, maxRosterBytes } from './contract-limits'
import { competitionRoles } from './contract-roles'

/* What the API says about competitions. Entries and boards have contracts of their own. */

export type { CompetitionRole } from './contract-roles'

export const memberStates = ['requested', 'joined'] as const
export const phaseStates = ['upcoming', 'open', 'ended'] as const

export const columnOfBoardSchema = z.object({
  name: z.string(),
  order: z.enum(['desc', 'asc']),
  digits: z.int(),
  split: z.enum(['public', 'private']),
})

export const phaseSchema = z.object({
  key: nameSchema,
  title: z.string(),
  state: z.enum(phaseStates),
  starts_at: time,
  ends_at: time.describe('the first moment at which an entry is late'),
  logs: z.enum(['none', 'own']).describe('none: participants see nothing that their entries print or leave'),
  rehearse: z.boolean().describe('entries can be tried on sample data, with their output'),
  run: z.object({
    environment: z.string().nullable().describe('null: the default environment'),
    gpu_count: z.int(),
    gpu_fraction: z.number().nullable(),
    gpu_model: z.string().nullable(),
    max_time: z.number().describe('seconds'),
  }),
  quota: z.object({
    per_day: z.int().nullable(),
    total: z.int().nullable(),
    failures_per_day: z.int().nullable(),
  }),
  late: z
    .object({ grace_minutes: z.int(), percent_per_day: z.number(), max_days: z.int() })
    .nullable()
    .describe('late entries count for grades only; null: they are refused'),
  points: z.number().nullable().describe('what a score of 1 is worth; null: grades are scores'),
  select: z.enum(['best', 'last', 'chosen']).describe('which entry of a team counts'),
  choose: z.int().describe('how many entries a team may choose; 0: none'),
  outputs: z.array(z.string()).describe('the files below /results that the scoring program reads'),
  inputs: z.array(z.string()).describe('the datasets at /data/NAME'),
  freeze_at: time.nullable(),
  frozen: z.boolean(),
  revealed: z.boolean(),
})

export const competitionSchema = z.object({
  competition_id: idSchema,
  title: z.string(),
  visibility: z.enum(visibilities),
  join: z.enum(joinRules),
  team_max: z.int(),
  timezone: z.string(),
  published: z
    .boolean()
    .describe('false: only its hosts see it, because data or the scoring program are missing'),
  created_at: time,
  role: z.enum(competitionRoles).nullable().describe('of the caller; null: has not joined'),
  state: z.enum(memberStates).nullable().describe('requested: a host must approve'),
  phases: z.array(phaseSchema),
})

export const datasetSchema = z.object({
  name: nameSchema,
  role: z.enum(datasetRoles),
  version: z.int(),
  files: z.int(),
  bytes: z.int(),
})

export const competitionDetailSchema = competitionSchema.extend({
  pages: z.array(z.object({ name: z.string(), title: z.string(), text: z.string().describe('Markdown') })),
  terms: z.string().nullable(),
  terms_accepted: z.boolean().describe('by the caller; true if there are none'),
  teams: z.int(),
  datasets: z.array(datasetSchema).describe('those that participants may know; hosts see all'),
  columns: z.array(columnOfBoardSchema).describe('those that the caller may see'),
  scorer_version: z.int().nullable(),
  project: z
    .object({ id: z.uuid(), project_id: idSchema, owner: idSchema })
    .nullable()
    .describe('where its data and jobs are; for hosts'),
  /** For hosts: what is missing before it can be published. */
  missing: z.array(z.string()),
})

const pageTextSchema = z
  .string()
  .max(maxPageBytes, 'must be at most 512 KiB')
  .refine(isStorableText, 'must not hold NUL or half a character: remove it')

/** `PUT /api/competitions/{id}`. */
export const putCompetitionSchema = z.strictObject({
  config: z
    .string()
    .max(maxCompetitionBytes, 'must be at most 256 KiB')
    .describe('the text of competition.yaml'),
  pages: z
    .record(z.string().max(255), pageTextSchema)
    .default({})
    .describe('the text of each page of the list pages, by its path'),
  directories: z
    .record(nameSchema, z.string().max(200))
    .default({})
    .describe(
      'the snapshot of each dataset, and of the scoring program under the name scorer, as NAME@VERSION in the project of the competition',
    ),
})

export const putCompetitionAnswerSchema = competitionDetailSchema.extend({
  created: z.boolean(),
  changed: z.boolean().describe('false: everything was so already'),
})

export const memberSchema = z.object({
  user_id: idSchema,
  name: z.string().nullable(),
  role: z.enum(competitionRoles),
  state: z.enum(memberStates),
  section: z.string().nullable(),
  grace_days: z.int(),
  team: z.string().nullable(),
  joined_at: time,
})

/** `POST /api/competitions/{id}/join`. */
export const joinCompetitionSchema = z.strictObject({
  accept_terms: z.boolean().default(false).describe('true: the caller accepts the terms of the competition'),
  team: label(60).optional().describe('name of the team; default: the user id'),
})

/** `PATCH /api/competitions/{id}/members/{user}`. */
export const updateMemberSchema = z.strictObject({
  role: z.enum(competitionRoles).optional(),
  state: z.literal('joined').optional().describe('approves a request'),
  section: label(60).nullable().optional(),
  grace_days: z.int().min(0).max(100).optional(),
})

export const teamSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  members: z.array(idSchema),
  invited: z.array(idSchema).describe('for its members: who has not answered'),
  created_at: time,
})

export const teamInvitationSchema = z.object({
  id: z.uuid(),
  team: z.string(),
  members: z.array(idSchema).describe('of the team: a name alone does not say who invites'),
  competition_id: idSchema,
  expires_at: time,
})

export const updateTeamSchema = z.strictObject({
  name: label(60).optional(),
  invite: z.array(idSchema).max(maxInvitations).default([]),
  withdraw: z.array(idSchema).max(maxInvitations).default([]).describe('invitations to take back'),
})

export const rosterAnswerSchema = z.object({
  dry_run: z.boolean(),
  added: z.int(),
  changed: z.int().describe('people with another name or section than before'),
  removed: z.int().describe('people who may no longer join; those who have joined stay'),
  unchanged: z.int(),
  moved: z.int().describe('members whose section changes'),
  hints: z.array(z.string()).describe('what was understood, such as the columns that were left out'),
  problems: z
    .array(z.object({ line: z.int(), message: z.string() }))
    .describe('the first 100; with any of them, nothing is stored'),
})

/** `PUT /api/competitions/{id}/roster`. */
export const rosterSchema = z
  .strictObject({
    csv: z
      .string()
      .max(maxRosterBytes, 'must be at most 8 MiB')
      .optional()
      .describe('CSV with the columns email, name, section'),
    file: z
      .base64('is not Base64')
      .max(Math.ceil(maxRosterBytes / 3) * 4, 'must be a file of at most 8 MiB')
      .optional()
      .describe(
        'instead of csv: the bytes of the file in Base64, in whatever encoding a spreadsheet has written it',
      ),
  })
  .refine(({ csv, file }) => (csv === undefined) !== (file === undefined), 'send either csv or file')

export type Competition = z.infer<typeof competitionSchema>
export type CompetitionDetail = z.infer<typeof competitionDetailSchema>
export type Phase = z.infer<typeof phaseSchema>
export type Member = z.infer<typeof memberSchema>
export type Team = z.infer<typeof teamSchema>
export type TeamInvitation = z.infer<typeof teamInvitationSchema>
export type RosterAnswer = z.infer<typeof rosterAnswerSchema>
export type ColumnOfBoard = z.infer<typeof columnOfBoardSchema>
