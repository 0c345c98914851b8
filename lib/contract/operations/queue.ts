import * as z from 'zod'
import * as cluster from '../cluster/cluster'
import * as policy from '../cluster/policy'
import * as queue from '../queue'
import { dryRunSchema } from '../submission/dry-run'
import { deduplicateQuery, dryRunQuery } from './jobs'
import { defineOperations, get, ok, patch, post, put, remove } from './operation'

/** The queue API, also served without /api. */
export const queueOperations = defineOperations('queue', 'queue', {
  submit: post('/api/queue/submit', 'submit', 'Submit a command as a job, without waiting for it', {
    restrictedTokens: true,
    query: z.object({ deduplicate: deduplicateQuery, dry_run: dryRunQuery }),
    headers: { 'Idempotency-Key': 'makes a repeated submission the same job' },
    body: queue.queueSubmitSchema,
    responses: {
      200: {
        description: 'An older job: same key or content; with dry_run, what a submission would do',
        schema: z.union([queue.queueSubmittedSchema, dryRunSchema]),
      },
      201: { description: 'The job is accepted; see Location', schema: queue.queueSubmittedSchema },
    },
  }),
  list: get('/api/queue', 'read', 'Waiting jobs in their expected order, and running jobs', {
    query: queue.queueQuerySchema,
    responses: ok(cluster.queueSchema),
  }),
  get: get('/api/queue/{id}', 'read', 'A job with its position and expected start', {
    restrictedTokens: true,
    responses: ok(queue.queueJobDetailSchema),
  }),
  cancel: remove('/api/queue/{id}', 'submit', 'Cancel a job', {
    restrictedTokens: true,
    responses: ok(queue.queueJobDetailSchema),
  }),
  setPriority: patch('/api/queue/{id}/priority', 'submit', "Change a waiting job's priority", {
    body: queue.prioritySchema,
    responses: ok(queue.queueJobDetailSchema),
  }),
  setHeld: patch('/api/queue/{id}/hold', 'submit', 'Hold a waiting job, or release it', {
    body: queue.holdSchema,
    responses: ok(queue.queueJobDetailSchema),
  }),
})

export const orchestratorOperations = defineOperations('orchestrator', 'queue', {
  status: get('/api/orchestrator/status', 'read', 'Status of the scheduler', {
    responses: ok(cluster.orchestratorSchema),
  }),
  start: post('/api/orchestrator/start', 'admin', 'Start the scheduler', {
    responses: ok(cluster.orchestratorSchema),
  }),
  stop: post('/api/orchestrator/stop', 'admin', 'Stop the scheduler: running jobs continue', {
    responses: ok(cluster.orchestratorSchema),
  }),
  policy: get('/api/orchestrator/policy', 'read', 'The scheduling policy', {
    responses: ok(policy.shownPolicySchema),
  }),
  updatePolicy: put('/api/orchestrator/policy', 'admin', 'Change fields of the scheduling policy', {
    body: policy.updatePolicySchema,
    responses: ok(policy.shownPolicySchema),
  }),
})
