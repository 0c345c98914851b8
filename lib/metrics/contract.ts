import * as z from 'zod'
import { decodeNames } from '../contract/text/encode-name'

/** The metrics of a job: the numbers in the lines of JSON that it prints, by name, each with its values over time. */

/** The most series in one answer. */
export const maxSeries = 48
const maxPoints = 5_000

/** Names of metrics in a query, with commas between them. */
export const namesQuery = z
  .string()
  .transform(decodeNames)
  .refine((names) => names.length <= maxSeries, `must have at most ${maxSeries} names`)

const rankQuery = z.coerce
  .number()
  .int()
  .min(0)
  .max(7)
  .optional()
  .describe('task of a job on several nodes; default: the first that printed a metric')

/** Query of `GET /api/jobs/ID/metrics`. */
export const metricsQuerySchema = z.object({
  names: namesQuery.optional().describe('metrics, with commas between them; default: the first ones'),
  search: z.string().max(128).optional().describe('only metrics with this text in their names'),
  limit: z.coerce
    .number()
    .int()
    .min(0)
    .max(maxSeries)
    .default(24)
    .describe('number of series without `names`'),
  x: z
    .string()
    .max(128)
    .optional()
    .describe('the x axis: line, time, or a counter such as step or epoch; default: the best one'),
  from: z.coerce.number().optional().describe('first value of the x axis'),
  to: z.coerce.number().optional().describe('last value of the x axis'),
  points: z.coerce
    .number()
    .int()
    .min(2)
    .max(maxPoints)
    .default(1000)
    .describe('most points of a series; a series with more is summarized'),
  rank: rankQuery,
})

/** Query of `GET /api/jobs/ID/metrics.csv`. */
export const metricsCsvQuerySchema = z.object({ names: namesQuery, rank: rankQuery })

const values = z.array(z.number().nullable())

export const metricSeriesSchema = z.object({
  name: z.string(),
  count: z.int().describe('number of values in the whole series'),
  not_finite: z.int().describe('number of values that are NaN or infinite'),
  last: z.number().nullable().describe('last finite value'),
  x: z.array(z.number()),
  y: values.describe('null: not finite; the mean, if one point stands for several values'),
  low: values.optional().describe('the lowest value of each point; absent: each point is one value'),
  high: values.optional(),
})

/** `GET /api/jobs/ID/metrics`. */
export const jobMetricsSchema = z.object({
  attempt: z.int(),
  rank: z.int(),
  x: z.string().describe('the x axis of the series'),
  axes: z.array(z.string()).describe('the possible x axes'),
  lines: z.int().describe('number of lines with metrics'),
  names: z.array(z.string()).describe('the metrics that match the search, at most 1000; without the x axis'),
  name_count: z.int().describe('number of metrics that match the search'),
  complete: z.boolean().describe('false: the output was not read to its end yet; ask again'),
  progress: z.number().describe('how much of the output was read, from 0 to 1'),
  approximate: z.boolean().describe('true: there are so many values that some are summarized'),
  series: z.array(metricSeriesSchema),
})

export type MetricsQuery = z.output<typeof metricsQuerySchema>
export type MetricSeries = z.infer<typeof metricSeriesSchema>
export type JobMetrics = z.infer<typeof jobMetricsSchema>
