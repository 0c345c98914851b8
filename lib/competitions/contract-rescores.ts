import * as z from 'zod'
import { time } from '../contract/access/access'
import { idSchema } from '../contract/jobs'
import { columnOfBoardSchema } from './contract'
import { nameSchema } from './contract-config'
import { entryKinds } from './contract-entries'

export const rescoreStates = ['running', 'ready', 'applied', 'discarded'] as const

export const rescoreSchema = z.object({
  id: z.uuid(),
  competition_id: idSchema,
  phase: nameSchema,
  state: z.enum(rescoreStates).describe('ready: all its runs have ended, and it can be applied'),
  scorer_version: z.int(),
  labels: z
    .record(z.string(), z.string())
    .describe('the versions of the labels, by the names of the datasets'),
  created_by: idSchema.nullable().describe('null: the account was deleted'),
  created_at: time,
  ended_at: time.nullable().describe('when it was applied or discarded'),
  progress: z.object({
    entries: z.int(),
    waiting: z.int(),
    running: z.int(),
    scored: z.int(),
    failed: z.int(),
  }),
})

const beforeAndAfter = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ before: schema.nullable(), after: schema.nullable() })

export const rescoreRowSchema = z.object({
  team: z.string(),
  kind: z.enum(['team', 'baseline']),
  rank: beforeAndAfter(z.int()).describe('null: a baseline, or not on the board'),
  values: beforeAndAfter(z.record(z.string(), z.string())).describe(
    'by column, in the digits of the board; null: not on the board',
  ),
})

export const rescoreDetailSchema = rescoreSchema.extend({
  awaited: z
    .int()
    .describe('entries sent before, which have not ended: they join the set once they are scored'),
  outdated: z
    .boolean()
    .describe('there is a newer scoring program, or newer labels: it cannot be applied any more'),
  failures: z
    .array(
      z.object({
        entry_id: z.uuid(),
        team: z.string(),
        kind: z.enum(entryKinds),
        message: z.string(),
        keeps: z.boolean().describe('it has an earlier score, which still counts after the set was applied'),
      }),
    )
    .describe('entries that have no new score, at most 200'),
  preview: z
    .object({
      columns: z.array(columnOfBoardSchema),
      rank_by: z.string(),
      unchanged: z.int().describe('rows of the live board that stay as they are'),
      total: z.int().describe('rows that change'),
      rows: z.array(rescoreRowSchema).describe('those that change, in the order after'),
    })
    .nullable()
    .describe('what the live board would be; null: not ready, or applied or discarded'),
})

export const rescoreQuerySchema = z.object({
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(1000).describe('rows of the preview'),
})

export type Rescore = z.infer<typeof rescoreSchema>
export type RescoreDetail = z.infer<typeof rescoreDetailSchema>
export type RescoreRow = z.infer<typeof rescoreRowSchema>
