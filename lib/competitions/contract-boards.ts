import * as z from 'zod'
import { time } from '../contract/access/access'
import { idSchema } from '../contract/jobs'
import { columnOfBoardSchema } from './contract'
import { nameSchema } from './contract-config'

export const boardRowSchema = z.object({
  rank: z.int().nullable().describe('shared by teams with equal values; null: a baseline, which has no rank'),
  change: z
    .int()
    .nullable()
    .describe('places won since the full hour a day ago; null: a baseline, or it had no rank then'),
  team: z.string(),
  kind: z.enum(['team', 'baseline']),
  values: z.record(z.string(), z.string()).describe('by column, in the digits that decide the rank'),
  entries: z.int().describe('how many entries of the team have scores'),
  best_at: time.describe('when the entry that counts was received'),
  own: z.boolean(),
})

export const boardSchema = z.object({
  competition_id: idSchema,
  phase: nameSchema,
  columns: z.array(columnOfBoardSchema),
  rank_by: z.string(),
  frozen_at: time.nullable().describe('entries received later are not on this board'),
  revealed: z.boolean(),
  updated_at: time.nullable().describe('when its last entry was scored; null: it has no row'),
  total: z.int().describe('rows of the board, with q: those that match'),
  rows: z.array(boardRowSchema),
  own: boardRowSchema.nullable().describe("the row of the caller's team, wherever it is"),
})

export const boardQuerySchema = z.object({
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  q: z.string().max(60).optional().describe('only teams whose name contains this'),
})

export type Board = z.infer<typeof boardSchema>
export type BoardRow = z.infer<typeof boardRowSchema>
