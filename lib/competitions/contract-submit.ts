import * as z from 'zod'
import { idSchema, submitResultSchema } from '../contract/jobs'
import { jobOperations } from '../contract/operations/jobs'
import { dryRunSchema } from '../contract/submission/dry-run'
import { nameSchema } from './contract-config'
import { entryKinds, quotaLeftSchema, submittedEntrySchema } from './contract-entries'

/** The answer to a submission that made an entry: with the fields of a job, and the id of the entry as `job_id`. */
export const entryResultSchema = submitResultSchema.extend({
  ...submittedEntrySchema.shape,
  page: z.string().describe('the path of the page of its competition'),
})

/** The answer to a submission of a job. */
export const jobResultSchema = submitResultSchema.extend({
  competition_note: z
    .string()
    .optional()
    .describe('says why this job is no entry of the competition that competition_id names'),
})

/** What a submission with `?dry_run=true` says if it would make an entry. */
export const entryDryRunSchema = z.object({
  dry_run: z.literal(true),
  text: z.string().describe('what would happen, as a sentence'),
  competition_id: idSchema,
  phase: nameSchema,
  kind: z.enum(entryKinds),
  quota: quotaLeftSchema.describe('what is left after this entry'),
})

/** The submission of jobs, which makes entries too. In a file of its own, so that a program can load it without the other operations. */
export const submitOperation = {
  ...jobOperations.submit,
  summary: 'Submit a job or an entry of a competition, and wait for its result',
  responses: {
    200: {
      description: 'The job or entry has ended; with dry_run, what a submission would do',
      schema: z.union([entryResultSchema, jobResultSchema, entryDryRunSchema, dryRunSchema]),
    },
    202: {
      description: 'The job or entry is accepted; see Location',
      schema: z.union([entryResultSchema, jobResultSchema]),
    },
  },
}

export type EntryResult = z.infer<typeof entryResultSchema>
export type EntryDryRun = z.infer<typeof entryDryRunSchema>
