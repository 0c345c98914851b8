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
} from '../../contract/jobs'
import { deduplicateQuery, done, list, type Operation, ok } from './operation'

const uploadParts = {
  type: 'object',
  required: ['config_file'],
  properties: {
    code: {
      type: 'string',
      contentMediaType: 'text/x-python',
      description: 'solution.py, UTF-8, at most 1 MiB; left out where the config has a command',
    },
    config_file: { type: 'string', contentMediaType: 'application/yaml', description: 'config.yaml' },
  },
}

const submitQuery = z.object({
  wait: z.string().optional().describe('"false": answer at once; a number: wait that many seconds'),
  deduplicate: deduplicateQuery,
})

/** Submitting, watching and cancelling jobs. */
export const jobOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/submit',
    tag: 'jobs',
    summary: 'Submit a job, and wait for its result',
    access: 'submit',
    query: submitQuery,
    headers: [
      { name: 'Idempotency-Key', description: 'makes a repeated submission the same job' },
      { name: 'Prefer', description: '"respond-async": answer at once' },
    ],
    upload: uploadParts,
    answers: {
      200: { description: 'The job ended', schema: submitResultSchema },
      202: {
        description: 'The job was accepted and has not ended; see Location',
        schema: submitResultSchema,
      },
    },
  },
  {
    method: 'get',
    path: '/api/jobs',
    tag: 'jobs',
    summary: 'List jobs, newest first',
    access: 'read',
    query: jobFiltersSchema,
    answers: list(jobSummarySchema),
  },
  {
    method: 'get',
    path: '/api/status/{id}',
    tag: 'jobs',
    summary: 'Where a job is, and why',
    access: 'read',
    query: jobQuerySchema,
    answers: ok(jobDetailSchema),
  },
  {
    method: 'get',
    path: '/api/results/{id}',
    tag: 'jobs',
    summary: 'What a job printed',
    access: 'read',
    query: resultQuerySchema,
    answers: ok(jobResultSchema),
  },
  {
    method: 'post',
    path: '/api/cancel/{id}',
    tag: 'jobs',
    summary: 'Cancel a job',
    access: 'submit',
    query: jobQuerySchema,
    answers: ok(jobDetailSchema),
  },
  {
    method: 'get',
    path: '/api/jobs/{id}/source',
    tag: 'jobs',
    summary: 'What was submitted, without the token',
    access: 'read',
    answers: ok(jobSourceSchema),
  },
  {
    method: 'get',
    path: '/api/jobs/{id}/events',
    tag: 'jobs',
    summary: 'A job live, as server-sent events: job, output, reset, end',
    access: 'read',
    query: eventsQuerySchema,
    headers: [{ name: 'Last-Event-ID', description: 'go on after this event' }],
    answers: { 200: { description: 'text/event-stream' } },
  },
  {
    method: 'post',
    path: '/api/jobs/{id}/terminal/input',
    tag: 'jobs',
    summary: "Type at a running job's terminal: at most 64 KiB at once",
    access: 'submit',
    query: terminalQuerySchema,
    bytes: 'what was typed',
    answers: done,
  },
  {
    method: 'post',
    path: '/api/jobs/{id}/terminal/size',
    tag: 'jobs',
    summary: "Say how large a running job's terminal is to be",
    access: 'submit',
    query: terminalQuerySchema,
    body: terminalSizeSchema,
    answers: done,
  },
]
