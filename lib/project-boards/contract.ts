import * as z from 'zod'
import { time } from '../contract/access/access'
import { label } from '../contract/config/values'
import { idSchema } from '../contract/jobs'

const goalSchema = z.enum(['min', 'max'])

/** Nothing leads from a row to a job: members of a project may not see each other's jobs. */
export const projectBoardRowSchema = z.object({
  rank: z.int().describe('shared by members with equal values'),
  member: z.string().describe('the name that the member chose, or the user id'),
  value: z.number(),
  jobs: z.int().describe('completed jobs of the member with this metric'),
  best_at: time.describe('when the job with the value ended'),
  own: z.boolean(),
})

export const projectBoardSchema = z.object({
  metric: z.string().nullable().describe('null: the project has no board'),
  goal: goalSchema,
  competition_id: idSchema.nullable().describe('only jobs with this competition_id count; null: all'),
  self_reported: z.literal(true).describe('the values are those that the programs of the members print'),
  rows: z.array(projectBoardRowSchema),
  own: z.object({
    name: z.string().nullable().describe('the name of the caller on the board; null: the user id'),
    hidden: z.boolean().describe('true: the caller is not on the board'),
  }),
})

/** `PUT /api/projects/{id}/leaderboard`. */
export const updateProjectBoardSchema = z.strictObject({
  metric: label(128).nullable().describe('null: removes the board'),
  goal: goalSchema.default('max'),
  competition_id: idSchema.nullable().default(null),
})

/** `PUT /api/projects/{id}/leaderboard/own`. */
export const updateOwnRowSchema = z.strictObject({
  name: label(60).nullable().default(null).describe('null: the user id'),
  hidden: z.boolean().default(false),
})

export type ProjectBoard = z.infer<typeof projectBoardSchema>
export type ProjectBoardRow = z.infer<typeof projectBoardRowSchema>
export type UpdateProjectBoard = z.output<typeof updateProjectBoardSchema>
export type UpdateOwnRow = z.output<typeof updateOwnRowSchema>
