import * as z from 'zod'
import { label } from '../contract/config/values'
import { searchSchema } from '../contract/job-queries'
import { jobSummarySchema } from '../contract/jobs'
import { namesQuery } from '../metrics/contract'
import { maxShareDays } from '../shares/contract'
import {
  maxPictures,
  maxResultJobs,
  maxResultMetrics,
  maxResultNames,
  maxSharedResults,
  resultColumns,
} from './contract-columns'

/** The results of a project: its jobs with the last values of metrics. */

const maxGroupCharacters = 200
const groupBy = z
  .string()
  .max(maxGroupCharacters)
  .regex(/^(?:tags|tag\.[^\0]+|config\.[^\0]+)$/, 'must be tags, tag.KEY or config.PATH')

/** Query of `GET /api/projects/{id}/results`. */
export const resultsQuerySchema = z.object({
  q: searchSchema.optional().describe('only jobs that match a search, as in GET /api/jobs'),
  metrics: namesQuery
    .refine((names) => names.length <= maxResultMetrics, `must have at most ${maxResultMetrics} names`)
    .optional()
    .describe('metrics, with commas between them; default: those that most of the jobs printed'),
  group_by: groupBy
    .optional()
    .describe(
      'tags: all tags without a key; tag.KEY: the tag KEY=VALUE or KEY:VALUE; config.PATH: a value of the config, such as config.gpu_count or config.args.lr',
    ),
  pictures: z.stringbool().default(false).describe('whether the jobs have their pictures'),
})

const { job_id, name, status, user_id, user_name, tags, created_at, started_at, completed_at } =
  jobSummarySchema.shape

const metrics = z
  .record(z.string(), z.number())
  .describe('the last value of each chosen metric that the job printed')
const group = z.string().nullable().describe('the value of `group_by`; null: the job has none')

export const resultRowSchema = z.object({
  job_id,
  name,
  status,
  user_id,
  user_name,
  tags,
  created_at,
  started_at,
  completed_at,
  metrics,
  group,
  pictures: z
    .array(z.object({ artifact_id: z.uuid(), path: z.string() }))
    .describe(`the first pictures that the job wrote to /results, at most ${maxPictures}`),
})

/** Response of `GET /api/projects/{id}/results`. */
export const resultsSchema = z.object({
  rows: z
    .array(resultRowSchema)
    .describe(`the newest jobs that the caller may see, at most ${maxResultJobs}`),
  more: z.boolean().describe('whether there are older jobs, which are not listed'),
  metrics: z.array(z.string()).describe('the metrics of the rows'),
  metric_names: z.array(z.string()).describe(`all metrics of these jobs, at most ${maxResultNames}`),
  group_keys: z
    .array(z.string())
    .describe(`what differs between these jobs, for \`group_by\`; at most ${maxResultNames}`),
})

const metricName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\0]*$/)

/** `POST /api/projects/{id}/results/shares`. */
export const createResultShareSchema = z
  .strictObject({
    job_ids: z
      .array(z.uuid())
      .min(1, 'choose at least one job')
      .max(maxSharedResults, `must have at most ${maxSharedResults} jobs`)
      .describe('own jobs of the project, in the order of the page'),
    title: label(100).optional().describe('the heading of the page'),
    columns: z.array(z.enum(resultColumns)).max(resultColumns.length).default([]),
    metrics: z.array(metricName).max(maxResultMetrics).default([]),
    group_by: groupBy
      .refine(
        (by) => !by.startsWith('config.env.'),
        'is the value of a variable, which may be a secret: group by a tag, such as lr=0.1',
      )
      .nullable()
      .default(null),
    expires_in_days: z.int().min(1).max(maxShareDays).default(7),
  })
  .refine(
    ({ columns, metrics, group_by }) => columns.length + metrics.length > 0 || group_by !== null,
    'choose at least one column',
  )

/** A link to a page that shows chosen jobs of its creator, and only the chosen columns, without signing in. */
export const resultShareSchema = z.object({
  id: z.uuid(),
  project_id: z.string(),
  title: z.string().nullable(),
  jobs: z.int().describe('number of its jobs that still exist'),
  columns: z.array(z.enum(resultColumns)),
  metrics: z.array(z.string()),
  group_by: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
})

export const createdResultShareSchema = resultShareSchema.extend({
  url: z.string().describe('only this response contains it'),
})

/** A job on the page of a link. It has the keys that its columns need, and no others. */
export const sharedRowSchema = z.strictObject({
  number: z.int().describe('its place in the link'),
  name: name.optional(),
  status: status.optional(),
  tags: z.array(z.string()).optional(),
  created_at: z.string().optional(),
  run_seconds: z.number().nullable().optional().describe('null: it has not ended'),
  metrics: metrics.optional(),
  group: group.optional(),
  pictures: z.array(z.strictObject({ number: z.int(), path: z.string() })).optional(),
})

/** `GET /api/shared-results/{token}`: all that the holder of a link sees. */
export const sharedResultsSchema = z.strictObject({
  title: z.string().nullable(),
  columns: z.array(z.enum(resultColumns)),
  metrics: z.array(z.string()),
  group_by: z.string().nullable(),
  rows: z.array(sharedRowSchema),
  expires_at: z.string(),
})

export type ResultsQuery = z.output<typeof resultsQuerySchema>
export type ResultRow = z.infer<typeof resultRowSchema>
export type Results = z.infer<typeof resultsSchema>
export type CreateResultShare = z.output<typeof createResultShareSchema>
export type ResultShare = z.infer<typeof resultShareSchema>
export type CreatedResultShare = z.infer<typeof createdResultShareSchema>
export type SharedRow = z.infer<typeof sharedRowSchema>
export type SharedResults = z.infer<typeof sharedResultsSchema>
