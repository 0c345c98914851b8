import * as z from 'zod'
import { note, tags } from './config/values'
import { sortKeys } from './job-columns'
import { idSchema } from './jobs'
import { maxCountedJobs, maxJobsTogether } from './jobs-together'
import { parseSearch } from './search/parse-search'
import { maxMetricName, metricPrefix, suggestedKeys } from './search/search-keys'
import { describeSearchProblem } from './search/search-reader'
import { activeFirst, sortPattern } from './search/sort'
import { uploadStatuses } from './status'

/** What the operations on jobs accept: labels, filters and query parameters. */

export const noteSchema = note
export const tagSchema = tags.element

/** `PATCH /api/jobs/ID`. */
export const updateJobSchema = z.strictObject({
  note: note.nullable().optional().describe('text for people; null or empty: none'),
  starred: z.boolean().optional(),
  tags: tags.optional().describe('replaces all tags'),
})

/** Filters of a list of jobs by their labels, as query parameters. */
export const labelFilters = {
  tag: tagSchema.optional().describe('one of its tags'),
  starred: z.stringbool().optional().describe('true: only jobs with a star'),
}

export type UpdateJob = z.infer<typeof updateJobSchema>

/** A text in the search language: `status:failed tag:baseline metric.loss<0.2 text`. */
export const searchSchema = z.string().superRefine((text, context) => {
  const parsed = parseSearch(text)
  if (!parsed.ok) context.addIssue({ code: 'custom', message: describeSearchProblem(parsed.problem) })
})

export const sortSchema = z
  .string()
  .regex(
    sortPattern,
    `must be ${sortKeys.join(', ')} or ${metricPrefix}NAME, with - before it for the largest first, or ${activeFirst}`,
  )

/** Query of `GET /api/jobs/count`: which jobs a list has. */
export const jobCountQuerySchema = z.object({
  q: searchSchema
    .optional()
    .describe('a search, such as: status:failed tag:baseline -tag:known metric.loss<0.2 text'),
  sort: sortSchema
    .optional()
    .describe(
      `${sortKeys.join(', ')} or ${metricPrefix}NAME; -NAME: the largest first. All but submitted list only jobs that have it, after their end. active: running jobs first, then waiting ones, then ended ones, each with the newest first; default: -submitted`,
    ),
  user_id: idSchema
    .optional()
    .describe("another user's jobs, for admins, and for managers in their projects"),
  all: z.stringbool().optional().describe('the jobs of all users, for admins only'),
  status: z.enum(uploadStatuses).optional(),
  competition_id: idSchema.optional(),
  project_id: idSchema.optional(),
  group: z
    .uuid()
    .optional()
    .describe('only the jobs of this group; left out: only jobs that belong to no group'),
  ...labelFilters,
})

/** The answer of `GET /api/jobs/count`. */
export const jobCountSchema = z.object({
  jobs: z.int().describe(`number of jobs, at most ${maxCountedJobs}`),
  more: z.boolean().describe('true: there are more, which are not counted'),
})

/** Query of `GET /api/jobs`. */
export const jobFiltersSchema = jobCountQuerySchema.extend({
  limit: z.coerce.number().int().min(1).max(maxJobsTogether).default(50),
  cursor: z.string().max(200).optional().describe('from the Link header of the previous page'),
})

/** `GET /api/jobs/suggestions`. */
export const suggestionsQuerySchema = z.object({
  key: z.enum(suggestedKeys),
  text: z.string().max(maxMetricName).default('').describe('how the value begins'),
  all: z.stringbool().optional().describe('from the jobs of all users, for admins only'),
})

/** `GET /api/jobs/files.tar`. */
export const jobIdsQuerySchema = z.object({
  ids: z
    .string()
    .max(maxJobsTogether * 37)
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(z.uuid('must be ids of jobs with commas between them')).max(maxJobsTogether))
    .describe(`ids of at most ${maxJobsTogether} jobs, with commas between them`),
})

/** Query of the operations on one job. */
export const jobQuerySchema = z.object({
  user_id: z.string().optional().describe('must be your own; admins can use any'),
})

/** Query of `GET /api/jobs/ID/events`. */
export const eventsQuerySchema = z.object({
  tail: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('start this many bytes before the end of the records'),
  max_record_bytes: z.coerce
    .number()
    .int()
    .min(65_536)
    .optional()
    .describe('send only the start of larger results, as stdout records with "cut"; default: all of them'),
})

export const resultQuerySchema = jobQuerySchema.extend({
  format: z.enum(['json', 'jsonl', 'text']).default('json').describe('jsonl and text are downloads'),
})

export type SuggestionsQuery = z.output<typeof suggestionsQuerySchema>
export type JobCountQuery = z.infer<typeof jobCountQuerySchema>
export type JobCount = z.infer<typeof jobCountSchema>
export type JobFilters = z.infer<typeof jobFiltersSchema>
