import { z } from 'zod'
import * as cluster from '../cluster'
import * as queue from '../queue'
import { defineOperations, get, ok, patch, post, put, remove } from './operation'
import { deduplicateQuery } from './submit-query'

/** The queue API, also served without /api. */
export const queueOperations = defineOperations('queue', 'queue', {
  submit: post('/api/queue/submit', 'submit', 'Submit a job that is a command; never waits', {
    query: z.object({ deduplicate: deduplicateQuery }),
    headers: { 'Idempotency-Key': 'makes a repeated submission the same job' },
    body: queue.queueSubmitSchema,
    responses: {
      200: {
        description: 'An older job: of this Idempotency-Key, or of the same content',
        schema: queue.queueSubmittedSchema,
      },
      201: { description: 'The job was accepted; see Location', schema: queue.queueSubmittedSchema },
    },
  }),
  list: get('/api/queue', 'read', 'What waits, in the order it should start, and what runs', {
    query: queue.queueQuerySchema,
    responses: ok(cluster.queueSchema),
  }),
  get: get('/api/queue/{id}', 'read', 'One job, with its position and expected start', {
    responses: ok(queue.queueJobDetailSchema),
  }),
  cancel: remove('/api/queue/{id}', 'submit', 'Cancel a job', { responses: ok(queue.queueJobDetailSchema) }),
  setPriority: patch('/api/queue/{id}/priority', 'submit', "Change a waiting job's priority", {
    body: queue.prioritySchema,
    responses: ok(queue.queueJobDetailSchema),
  }),
})

/** The scheduler: whether it runs, and by which policy. */
export const orchestratorOperations = defineOperations('orchestrator', 'queue', {
  status: get('/api/orchestrator/status', 'read', 'Whether the scheduler runs, and how much it has to do', {
    responses: ok(cluster.orchestratorSchema),
  }),
  start: post('/api/orchestrator/start', 'admin', 'Start the scheduler', {
    responses: ok(cluster.orchestratorSchema),
  }),
  stop: post('/api/orchestrator/stop', 'admin', 'Stop the scheduler: what runs goes on, nothing new starts', {
    responses: ok(cluster.orchestratorSchema),
  }),
  policy: get('/api/orchestrator/policy', 'read', 'How jobs are scheduled', {
    responses: ok(cluster.policySchema),
  }),
  updatePolicy: put(
    '/api/orchestrator/policy',
    'admin',
    'Change how jobs are scheduled; what is left out stays',
    {
      body: cluster.updatePolicySchema,
      responses: ok(cluster.policySchema),
    },
  ),
})
