import * as z from 'zod'
import { jobDetailSchema } from '../jobs'

export const maxShareDays = 90

/** `POST /api/jobs/ID/shares`. */
export const createShareSchema = z.strictObject({
  expires_in_days: z.int().min(1).max(maxShareDays).default(7),
  source: z
    .boolean()
    .default(false)
    .describe('show the program and the config too, without the values of environment variables'),
})

/** A link to a page that shows a job without signing in. */
export const jobShareSchema = z.object({
  id: z.uuid(),
  source: z.boolean().describe('the page shows the program and the config'),
  created_by: z.string().describe('user id'),
  created_at: z.string(),
  expires_at: z.string(),
})

export const createdShareSchema = jobShareSchema.extend({
  url: z.string().describe('only this response contains it'),
})

const { status, exit_code, created_at, started_at, completed_at, files_deleted } = jobDetailSchema.shape

/**
 * All that the holder of a link sees of a job, beside its output and, if the owner chose that, its source. Nothing is here that
 * somebody else wrote: no names of nodes, no notes of admins, no limits of the project. It has no ids and no addresses.
 */
export const sharedFactsSchema = z.strictObject({
  name: z.string().nullable(),
  owner: z.string().describe("the user's name, or the user id of one without a name"),
  competition_id: z.string(),
  project_id: z.string(),
  environment: z.string(),
  status,
  reason_text: z.string().nullable().describe('why the job ended, without details'),
  exit_code,
  created_at,
  started_at,
  completed_at,
  files_deleted,
  gpus: z.array(z.strictObject({ model: z.string(), simulated: z.boolean(), share: z.number() })),
})

export type SharedFacts = z.infer<typeof sharedFactsSchema>
export type JobShare = z.infer<typeof jobShareSchema>
export type CreatedShare = z.infer<typeof createdShareSchema>
