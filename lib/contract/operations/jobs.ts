import { z } from 'zod'
import {
  eventsQuerySchema,
  jobDetailSchema,
  jobFiltersSchema,
  jobQuerySchema,
  jobResultSchema,
  jobSourceSchema,
  jobSummarySchema,
  resultQuerySchema,
  submitResultSchema,
  terminalQuerySchema,
  terminalSizeSchema,
} from '../jobs'
import { defineOperations, done, file, list, ok } from './operation'
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
  submit: {
    method: 'post',
    path: '/api/submit',
    summary: 'Submit a job, and wait for its result',
    access: 'upload',
    query: z.object({ wait: waitQuery, deduplicate: deduplicateQuery }),
    headers: {
      'Idempotency-Key': 'makes a repeated submission the same job',
      Prefer: '"respond-async": answer at once',
    },
    upload: uploadParts,
    responses: {
      200: { description: 'The job ended', schema: submitResultSchema },
      202: {
        description: 'The job was accepted and has not ended; see Location',
        schema: submitResultSchema,
      },
    },
  },
  list: {
    method: 'get',
    path: '/api/jobs',
    summary: 'List jobs, newest first',
    access: 'read',
    query: jobFiltersSchema,
    responses: list(jobSummarySchema),
  },
  get: {
    method: 'get',
    path: '/api/status/{id}',
    summary: 'Where a job is, and why',
    access: 'read',
    query: jobQuerySchema,
    responses: ok(jobDetailSchema),
  },
  result: {
    method: 'get',
    path: '/api/results/{id}',
    summary: 'What a job printed',
    access: 'read',
    query: resultQuerySchema,
    responses: ok(jobResultSchema),
  },
  cancel: {
    method: 'post',
    path: '/api/cancel/{id}',
    summary: 'Cancel a job',
    access: 'submit',
    query: jobQuerySchema,
    responses: ok(jobDetailSchema),
  },
  source: {
    method: 'get',
    path: '/api/jobs/{id}/source',
    summary: 'What was submitted, without the token',
    access: 'read',
    responses: ok(jobSourceSchema),
  },
  events: {
    method: 'get',
    path: '/api/jobs/{id}/events',
    summary: 'A job live, as server-sent events: job, output, reset, end',
    access: 'read',
    query: eventsQuerySchema,
    headers: { 'Last-Event-ID': 'go on after this event' },
    responses: file('text/event-stream'),
  },
  type: {
    method: 'post',
    path: '/api/jobs/{id}/terminal/input',
    summary: "Type at a running job's terminal: at most 64 KiB at once",
    access: 'submit',
    query: terminalQuerySchema,
    bytes: 'what was typed',
    responses: done,
  },
  resize: {
    method: 'post',
    path: '/api/jobs/{id}/terminal/size',
    summary: "Say how large a running job's terminal is to be",
    access: 'submit',
    query: terminalQuerySchema,
    body: terminalSizeSchema,
    responses: done,
  },
})
