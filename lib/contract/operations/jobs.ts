import * as z from 'zod'
import { snapshotChangesSchema } from '../archives/changes'
import { jobUsageSchema } from '../cluster/job-usage'
import { invalidRequest } from '../errors'
import * as jobFiles from '../job-files'
import * as queries from '../job-queries'
import * as jobs from '../jobs'
import { dryRunSchema } from '../submission/dry-run'
import { defineOperations, file, get, list, ok, patch, post, rangeHeaders, stored } from './operation'

/** Whether an older job with the same content may be the response. A wrong value is a 400, for compatibility. */
export const deduplicateQuery = z
  .string()
  .transform((text) => {
    if (text === 'false') return false
    if (text === 'true' || text === '') return true
    throw invalidRequest('deduplicate must be "true" or "false".')
  })
  .optional()
  .describe('true: if you have an active or completed job with the same content, the response is that job')

export const dryRunQuery = z
  .string()
  .transform((text) => {
    if (text === 'false') return false
    if (text === 'true' || text === '') return true
    throw invalidRequest('dry_run must be "true" or "false".')
  })
  .optional()
  .describe('true: only says what the submission would do, after the same checks; the program may be missing')

/** Number of seconds to wait for the result. Infinity: the maximum of the server. A wrong value is a 400. */
const waitQuery = z
  .string()
  .transform((text) => {
    if (text === 'false') return 0
    if (text === 'true' || text === '') return Number.POSITIVE_INFINITY
    if (/^\d{1,9}$/.test(text)) return Number(text)
    throw invalidRequest('wait must be "true", "false", or a number of seconds.')
  })
  .optional()
  .describe('"false": respond immediately; a number: maximum seconds to wait')

export const uploadParts = z.object({
  code: z
    .string()
    .meta({ contentMediaType: 'text/x-python' })
    .optional()
    .describe(
      'solution.py, a Python program in UTF-8, at most 1 MiB; absent if the config has a command, or the upload has a directory',
    ),
  config_file: z.string().meta({ contentMediaType: 'application/yaml', description: 'config.yaml' }),
  archive: z
    .string()
    .meta({ contentMediaType: 'application/octet-stream' })
    .optional()
    .describe(
      'the directory of the job, as .zip, .tar, .tar.gz or .tgz; the config key `entrypoint` selects the file to run',
    ),
  files: z
    .array(z.string().meta({ contentMediaType: 'application/octet-stream' }))
    .optional()
    .describe('instead of an archive: the files of the directory; the file name of each part is its path'),
})

export const jobOperations = defineOperations('jobs', 'jobs', {
  submit: post('/api/submit', 'upload', 'Submit a job, and wait for its result', {
    restrictedTokens: true,
    query: z.object({ wait: waitQuery, deduplicate: deduplicateQuery, dry_run: dryRunQuery }),
    headers: {
      'Idempotency-Key': 'makes a repeated submission the same job',
      Prefer: '"respond-async": respond immediately',
    },
    upload: uploadParts,
    responses: {
      200: {
        description: 'The job has ended; with dry_run, what a submission would do',
        schema: z.union([jobs.submitResultSchema, dryRunSchema]),
      },
      202: { description: 'The job is accepted; see Location', schema: jobs.submitResultSchema },
    },
  }),
  check: post('/api/submit/check', 'submit', 'Check a submission before its directory is uploaded', {
    restrictedTokens: true,
    upload: uploadParts.pick({ code: true, config_file: true }),
    responses: { 204: { description: 'The submission would not be refused now' } },
  }),
  sample: get('/api/sample', 'read', 'Program and config of a sample job, to submit', {
    responses: ok(jobs.jobSourceSchema),
  }),
  list: get('/api/jobs', 'read', 'List and search jobs, newest first', {
    restrictedTokens: true,
    query: queries.jobFiltersSchema,
    responses: list(jobs.jobSummarySchema),
  }),
  count: get('/api/jobs/count', 'read', 'Number of jobs of a list or search', {
    restrictedTokens: true,
    query: queries.jobCountQuerySchema,
    responses: ok(queries.jobCountSchema),
  }),
  suggest: get('/api/jobs/suggestions', 'read', 'Values that a search of jobs can name', {
    query: queries.suggestionsQuerySchema,
    responses: ok(z.array(z.string()).describe('at most 10')),
  }),
  get: get('/api/status/{id}', 'read', 'Status of a job, or of an entry as the submission answered', {
    restrictedTokens: true,
    query: queries.jobQuerySchema,
    responses: ok(jobs.jobDetailSchema),
  }),
  update: patch('/api/jobs/{id}', 'submit', 'Change the note, the star or the tags of a job', {
    body: queries.updateJobSchema,
    responses: ok(jobs.jobDetailSchema),
  }),
  result: get(
    '/api/results/{id}',
    'read',
    'Output of a job, or the result of an entry as the submission answered',
    {
      restrictedTokens: true,
      query: queries.resultQuerySchema,
      responses: ok(jobs.jobResultSchema),
    },
  ),
  cancel: post('/api/cancel/{id}', 'submit', 'Cancel a job or an entry', {
    restrictedTokens: true,
    query: queries.jobQuerySchema,
    responses: ok(jobs.jobDetailSchema),
  }),
  usage: get('/api/jobs/{id}/usage', 'read', 'CPU and memory that a job used over its run', {
    restrictedTokens: true,
    responses: ok(jobUsageSchema),
  }),
  source: get('/api/jobs/{id}/source', 'read', 'Program and config of a job, without the token', {
    restrictedTokens: true,
    responses: ok(jobs.jobSourceSchema),
  }),
  files: get('/api/jobs/{id}/files', 'read', 'The files of the directory that was uploaded for a job', {
    restrictedTokens: true,
    responses: ok(jobFiles.jobFilesSchema),
  }),
  fileChanges: get(
    '/api/jobs/{id}/files/changes',
    'read',
    'What differs between the directories that were uploaded for two jobs',
    { restrictedTokens: true, query: jobFiles.compareJobFilesSchema, responses: ok(snapshotChangesSchema) },
  ),
  fileContent: get('/api/jobs/{id}/files/content', 'read', 'Download a file of the uploaded directory', {
    restrictedTokens: true,
    query: jobFiles.jobFileQuerySchema,
    headers: rangeHeaders,
    responses: stored('The file'),
  }),
  events: get('/api/jobs/{id}/events', 'read', 'Live events of a job (SSE): job, output, reset, end', {
    restrictedTokens: true,
    query: queries.eventsQuerySchema,
    headers: { 'Last-Event-ID': 'continue after this event' },
    responses: file('text/event-stream'),
  }),
})
