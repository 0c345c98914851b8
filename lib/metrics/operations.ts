import { defineOperations, file, get, ok } from '../contract/operations/operation'
import * as metrics from './contract'

/** The metrics of a job. */
export const metricOperations = defineOperations('jobs', 'jobs', {
  metrics: get('/api/jobs/{id}/metrics', 'read', 'The numbers in the lines of JSON that a job printed', {
    restrictedTokens: true,
    query: metrics.metricsQuerySchema,
    responses: ok(metrics.jobMetricsSchema),
  }),
  metricsCsv: get('/api/jobs/{id}/metrics.csv', 'read', 'Download all values of some metrics', {
    restrictedTokens: true,
    query: metrics.metricsCsvQuerySchema,
    responses: file('CSV'),
  }),
})
