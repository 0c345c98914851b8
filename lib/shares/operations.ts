import * as z from 'zod'
import { artifactPreviewSchema, artifactQuerySchema } from '../artifacts/contract'
import {
  created,
  defineOperations,
  done,
  file,
  get,
  ok,
  post,
  rangeHeaders,
  remove,
  stored,
} from '../contract/operations/operation'
import * as metrics from '../metrics/contract'
import * as shares from './contract'

/** Links to pages that show a job without signing in. */
export const shareOperations = defineOperations('shares', 'jobs', {
  list: get('/api/jobs/{id}/shares', 'read', 'The read-only links to a job', {
    responses: ok(z.array(shares.jobShareSchema)),
  }),
  create: post(
    '/api/jobs/{id}/shares',
    'submit',
    'Create a read-only link to a job that works without signing in',
    {
      body: shares.createShareSchema,
      responses: created(shares.createdShareSchema),
    },
  ),
  revoke: remove('/api/jobs/{id}/shares/{shareId}', 'submit', 'Revoke a read-only link', { responses: done }),
  output: get('/api/shared/{token}/output', 'public', 'Download the output of a job with a read-only link', {
    responses: file('The output as plain text'),
  }),
  events: get(
    '/api/shared/{token}/events',
    'public',
    'Live events of a job with a read-only link (SSE): job, output, reset, end; closed: the link has ended',
    {
      headers: { 'Last-Event-ID': 'continue after this event' },
      responses: file('text/event-stream'),
    },
  ),
  metrics: get(
    '/api/shared/{token}/metrics',
    'public',
    'The numbers in the lines of JSON that a job printed, with a read-only link',
    { query: metrics.metricsQuerySchema, responses: ok(metrics.jobMetricsSchema) },
  ),
  metricsCsv: get(
    '/api/shared/{token}/metrics.csv',
    'public',
    'Download all values of some metrics with a read-only link',
    { query: metrics.metricsCsvQuerySchema, responses: file('CSV') },
  ),
  artifacts: get(
    '/api/shared/{token}/artifacts',
    'public',
    'The files that a job wrote to /results, with a read-only link',
    { responses: ok(shares.sharedArtifactsSchema) },
  ),
  artifact: get(
    '/api/shared/{token}/artifacts/{artifactId}',
    'public',
    'Download an artifact with a read-only link',
    { query: artifactQuerySchema, headers: rangeHeaders, responses: stored('The file') },
  ),
  artifactPreview: get(
    '/api/shared/{token}/artifacts/{artifactId}/preview',
    'public',
    'Preview of an artifact with a read-only link',
    { responses: ok(artifactPreviewSchema) },
  ),
  artifactArchive: get(
    '/api/shared/{token}/artifacts.tar',
    'public',
    'Download all artifacts as one archive with a read-only link',
    { responses: file('A tar archive') },
  ),
})
