import { z } from 'zod'
import { orchestratorSchema, policySchema, queueSchema, updatePolicySchema } from '../cluster'
import {
  prioritySchema,
  queueJobDetailSchema,
  queueQuerySchema,
  queueSubmitSchema,
  queueSubmittedSchema,
} from '../queue'
import { defineOperations, ok } from './operation'
import { deduplicateQuery } from './submit-query'

/** The queue API, also served without /api. */
export const queueOperations = defineOperations('queue', 'queue', {
  submit: {
    method: 'post',
    path: '/api/queue/submit',
    summary: 'Submit a job that is a command; never waits',
    access: 'submit',
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
  },
  list: {
    method: 'get',
    path: '/api/queue',
    summary: 'What waits, in the order it should start, and what runs',
    access: 'read',
    query: queueQuerySchema,
    responses: ok(queueSchema),
  },
  get: {
    method: 'get',
    path: '/api/queue/{id}',
    summary: 'One job, with its position and expected start',
    access: 'read',
    responses: ok(queueJobDetailSchema),
  },
  cancel: {
    method: 'delete',
    path: '/api/queue/{id}',
    summary: 'Cancel a job',
    access: 'submit',
    responses: ok(queueJobDetailSchema),
  },
  setPriority: {
    method: 'patch',
    path: '/api/queue/{id}/priority',
    summary: "Change a waiting job's priority",
    access: 'submit',
    body: prioritySchema,
    responses: ok(queueJobDetailSchema),
  },
})

/** The scheduler: whether it runs, and by which policy. */
export const orchestratorOperations = defineOperations('orchestrator', 'queue', {
  status: {
    method: 'get',
    path: '/api/orchestrator/status',
    summary: 'Whether the scheduler runs, and how much it has to do',
    access: 'read',
    responses: ok(orchestratorSchema),
  },
  start: {
    method: 'post',
    path: '/api/orchestrator/start',
    summary: 'Start the scheduler',
    access: 'admin',
    responses: ok(orchestratorSchema),
  },
  stop: {
    method: 'post',
    path: '/api/orchestrator/stop',
    summary: 'Stop the scheduler: what runs goes on, nothing new starts',
    access: 'admin',
    responses: ok(orchestratorSchema),
  },
  policy: {
    method: 'get',
    path: '/api/orchestrator/policy',
    summary: 'How jobs are scheduled',
    access: 'read',
    responses: ok(policySchema),
  },
  updatePolicy: {
    method: 'put',
    path: '/api/orchestrator/policy',
    summary: 'Change how jobs are scheduled; what is left out stays',
    access: 'admin',
    body: updatePolicySchema,
    responses: ok(policySchema),
  },
})
