import { z } from 'zod'
import * as jobs from '../jobs'
import { defineOperations, done, file, get, list, ok, post } from './operation'
import { deduplicateQuery, waitQuery } from './submit-query'

const uploadParts = z.object({
  code: z
    .string()
    .meta({ contentMediaType: 'text/x-python' })
    .optional()
    .describe('solution.py, UTF-8, at most 1 MiB; left out where the config has a command'),
  config_file: z.string().meta({ contentMediaType: 'application/yaml', description: 'config.yaml' }),
})

/** Submitting, watching and cancelling jobs. */
export const jobOperations = defineOperations('jobs', 'jobs', {
  submit: post('/api/submit', 'upload', 'Submit a job, and wait for its result', {
    query: z.object({ wait: waitQuery, deduplicate: deduplicateQuery }),
    headers: {
      'Idempotency-Key': 'makes a repeated submission the same job',
      Prefer: '"respond-async": answer at once',
    },
    upload: uploadParts,
    responses: {
      200: { description: 'The job ended', schema: jobs.submitResultSchema },
      202: {
        description: 'The job was accepted and has not ended; see Location',
        schema: jobs.submitResultSchema,
      },
    },
  }),
  list: get('/api/jobs', 'read', 'List jobs, newest first', {
    query: jobs.jobFiltersSchema,
    responses: list(jobs.jobSummarySchema),
  }),
  get: get('/api/status/{id}', 'read', 'Where a job is, and why', {
    query: jobs.jobQuerySchema,
    responses: ok(jobs.jobDetailSchema),
  }),
  result: get('/api/results/{id}', 'read', 'What a job printed', {
    query: jobs.resultQuerySchema,
    responses: ok(jobs.jobResultSchema),
  }),
  cancel: post('/api/cancel/{id}', 'submit', 'Cancel a job', {
    query: jobs.jobQuerySchema,
    responses: ok(jobs.jobDetailSchema),
  }),
  source: get('/api/jobs/{id}/source', 'read', 'What was submitted, without the token', {
    responses: ok(jobs.jobSourceSchema),
  }),
  events: get('/api/jobs/{id}/events', 'read', 'A job live, as server-sent events: job, output, reset, end', {
    query: jobs.eventsQuerySchema,
    headers: { 'Last-Event-ID': 'go on after this event' },
    responses: file('text/event-stream'),
  }),
  type: post(
    '/api/jobs/{id}/terminal/input',
    'submit',
    "Type at a running job's terminal: at most 64 KiB at once",
    {
      query: jobs.terminalQuerySchema,
      bytes: 'what was typed',
      responses: done,
    },
  ),
  resize: post('/api/jobs/{id}/terminal/size', 'submit', "Say how large a running job's terminal is to be", {
    query: jobs.terminalQuerySchema,
    body: jobs.terminalSizeSchema,
    responses: done,
  }),
})
