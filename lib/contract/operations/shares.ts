import * as z from 'zod'
import * as shares from '../access/shares'
import { created, defineOperations, done, file, get, ok, post, remove } from './operation'

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
})
