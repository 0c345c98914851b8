import * as z from 'zod'
import { time } from '../contract/access/access'
import { label } from '../contract/config/values'
import { idSchema } from '../contract/jobs'
import { nameSchema } from './contract-config'

export const entryKinds = ['entry', 'rehearsal', 'baseline'] as const

/** `held`: it waits for a place among those of the competition. */
export const entryStates = ['held', 'running', 'scoring', 'scored', 'failed', 'cancelled'] as const

/** Why an entry failed. The first four are the participant's; `system` and `scorer` do not count to a quota. */
export const entryCauses = ['own_error', 'time', 'memory', 'outputs', 'system', 'scorer'] as const

/** What a participant may know about an entry. */
export const entrySchema = z.object({
  id: z.uuid(),
  competition_id: idSchema,
  phase: nameSchema,
  kind: z.enum(entryKinds),
  name: z.string().nullable(),
  team: z.string(),
  user_id: idSchema,
  state: z.enum(entryStates).describe('scored: it has scores; a rehearsal ended well, and has none'),
  cause: z.enum(entryCauses).nullable(),
  message: z.string().describe('what happened, or what it waits for, as a sentence'),
  received_at: time,
  ended_at: time.nullable(),
  seconds: z
    .int()
    .nullable()
    .describe('how long the program ran, rounded up to 10 s unless the phase shows logs'),
  scores: z
    .record(z.string(), z.string())
    .describe('the columns that the caller may see, in the digits of the board'),
  chosen: z.boolean(),
  disqualified: z.string().nullable().describe('why it is disqualified'),
  log: z.boolean().describe('the caller may read what it prints'),
  source_sha256: z.string(),
  provenance: z
    .object({
      scorer_version: z.int(),
      data: z.record(z.string(), z.string()),
      seed: z.string(),
      image: z.string().nullable().describe('the digest of its image'),
      gpus: z.array(z.string()).describe('the models of its GPUs'),
    })
    .nullable()
    .describe('what it ran with; null: it has not ended'),
  job_id: z.uuid().nullable().describe('for hosts'),
})

/** One limit of a quota. */
const limitLeft = z.object({
  limit: z.int(),
  used: z.int(),
  left: z.int(),
  resets_at: time.nullable().describe('null: never'),
})

export const quotaLeftSchema = z.object({
  per_day: limitLeft.nullable(),
  total: limitLeft.nullable(),
  failures_per_day: limitLeft.nullable(),
})

export const ownEntriesSchema = z.object({
  quota: quotaLeftSchema,
  waiting: z.array(
    z.object({ id: z.uuid(), place: z.int(), ahead: z.int().describe('entries of other teams before it') }),
  ),
})

export const entryListQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().optional(),
  team: z.string().optional().describe('for staff: only entries of this team'),
  all: z.stringbool().default(false).describe('for staff: entries of all teams'),
})

export const entryQuerySchema = z.object({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(600)
    .default(0)
    .describe('seconds for which the answer waits at most until the entry has ended'),
})

export const chooseEntrySchema = z.strictObject({ chosen: z.boolean() })
export const disqualifySchema = z.strictObject({
  reason: label(500).nullable().describe('null: takes the disqualification back'),
})

/** What `POST /api/submit` says besides the fields of a job, if the job entered a competition. */
export const submittedEntrySchema = z.object({
  entry: entrySchema,
  rank: z.int().nullable().describe("the team's rank on the board that it sees; null: not ranked"),
  quota: quotaLeftSchema,
})

export type Entry = z.infer<typeof entrySchema>
export type EntryState = Entry['state']
export type EntryCause = NonNullable<Entry['cause']>
export type QuotaLeft = z.infer<typeof quotaLeftSchema>
