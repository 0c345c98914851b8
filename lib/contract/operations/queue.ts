import { z } from 'zod'
import { orchestratorSchema, policySchema, queueSchema, updatePolicySchema } from '../cluster'
import {
  prioritySchema,
  queueJobDetailSchema,
  queueQuerySchema,
  queueSubmitSchema,
  queueSubmittedSchema,
} from '../queue'
import { defineOperations, get, ok, patch, post, put, remove } from './operation'
import { deduplicateQuery } from './submit-query'

/** The queue API, also served without /api. */
export const queueOperations = defineOperations('queue', 'queue', {
  submit: post('/api/queue/submit', 'submit', 'Submit a job that is a command; never waits', {
    query: z.object({ deduplicate: deduplicateQuery }),
    headers: { 'Idempotency-Key': 'makes a repeated submission the same job' },
    body: queueSubmitSchema,
    responses: {
      200: {
        description: 'An older job: of this Idempotency-Key, or of the same content',
        schema: queueSubmittedSchema,
      },
      201: { description: 'The job was accepted; see Location', schema: queueSubmittedSchema },
    },
  }),
  list: get('/api/queue', 'read', 'What waits, in the order it should start, and what runs', {
    query: queueQuerySchema,
    responses: ok(queueSchema),
  }),
  get: get('/api/queue/{id}', 'read', 'One job, with its position and expected start', {
    responses: ok(queueJobDetailSchema),
  }),
  cancel: remove('/api/queue/{id}', 'submit', 'Cancel a job', { responses: ok(queueJobDetailSchema) }),
  setPriority: patch('/api/queue/{id}/priority', 'submit', "Change a waiting job's priority", {
    body: prioritySchema,
    responses: ok(queueJobDetailSchema),
  }),
})

/** The scheduler: whether it runs, and by which policy. */
export const orchestratorOperations = defineOperations('orchestrator', 'queue', {
  status: get('/api/orchestrator/status', 'read', 'Whether the scheduler runs, and how much it has to do', {
    responses: ok(orchestratorSchema),
  }),
  start: post('/api/orchestrator/start', 'admin', 'Start the scheduler', {
    responses: ok(orchestratorSchema),
  }),
  stop: post('/api/orchestrator/stop', 'admin', 'Stop the scheduler: what runs goes on, nothing new starts', {
    responses: ok(orchestratorSchema),
  }),
  policy: get('/api/orchestrator/policy', 'read', 'How jobs are scheduled', { responses: ok(policySchema) }),
  updatePolicy: put(
    '/api/orchestrator/policy',
    'admin',
    'Change how jobs are scheduled; what is left out stays',
    {
      body: updatePolicySchema,
      responses: ok(policySchema),
    },
  ),
})
