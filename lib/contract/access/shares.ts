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

/** What the page of a link shows of the job itself. It has no ids, no addresses and no names of nodes. */
export const sharedFactsSchema = jobDetailSchema
  .pick({
    name: true,
    status: true,
    reason_text: true,
    exit_code: true,
    competition_id: true,
    project_id: true,
    environment: true,
    user_id: true,
    user_name: true,
    created_at: true,
    started_at: true,
    completed_at: true,
    files_deleted: true,
  })
  .extend({
    gpus: z.array(z.object({ model: z.string(), simulated: z.boolean(), share: z.number() })),
  })

export type SharedFacts = z.infer<typeof sharedFactsSchema>
export type JobShare = z.infer<typeof jobShareSchema>
export type CreatedShare = z.infer<typeof createdShareSchema>
