import * as z from 'zod'
import { experimentFields, idSchema, submittedWithSchema } from '../contract/jobs'
import { uploadStatuses } from '../contract/status'

/** Experiments: jobs and groups that follow each other, as a tree. */

/** How much of a note a list has, in characters. */
export const noteExcerpt = 200

/** One row of `GET /api/experiments`. */
export const experimentSchema = z.object({
  id: z.uuid().describe('the id of the job or group'),
  kind: z.enum(['job', 'group']),
  name: z.string().nullable(),
  status: z.enum(uploadStatuses),
  user_id: z.string(),
  project_id: idSchema,
  submitted_with: submittedWithSchema,
  ...experimentFields,
  note: z.string().nullable().describe(`the first ${noteExcerpt} characters of its note`),
  parent_deleted: z.boolean().describe('true: what it follows was deleted'),
  metrics: z
    .record(z.string(), z.number())
    .describe('the last value of each metric; of a group: the objective of its best member'),
  compared_job: z
    .uuid()
    .nullable()
    .describe('the job to compare: itself, or the best member of the group; null: none yet'),
  created_at: z.string().describe('RFC 3339, UTC'),
})
export type Experiment = z.output<typeof experimentSchema>

/** `GET /api/experiments/ID`. */
export const experimentPlaceSchema = z.object({
  follows: experimentSchema.nullable().describe('null: nothing, or it was deleted'),
  parent_deleted: z.boolean(),
  followed_by: z.array(experimentSchema).describe('the newest ones'),
  followers: z.int(),
})
export type ExperimentPlace = z.output<typeof experimentPlaceSchema>

export const experimentListQuerySchema = z.object({
  project_id: idSchema
    .optional()
    .describe('those in this project that you may see; left out: your own in all projects'),
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z.string().max(200).optional().describe('from the Link header of the previous page'),
})
