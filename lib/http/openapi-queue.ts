import { modelTableSchema, orchestratorSchema, policySchema, updatePolicySchema } from '../cluster/schemas'
import { type Operation, ok } from './openapi-operation'

/** The queue API, also served without /api; the policy and the model table. */
export const queueOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/orchestrator/status',
    tag: 'queue',
    summary: 'Whether the scheduler runs, and how much it has to do',
    access: 'read',
    answers: ok(orchestratorSchema),
  },
  {
    method: 'post',
    path: '/api/orchestrator/start',
    tag: 'queue',
    summary: 'Start the scheduler',
    access: 'admin',
    answers: ok(orchestratorSchema),
  },
  {
    method: 'post',
    path: '/api/orchestrator/stop',
    tag: 'queue',
    summary: 'Stop the scheduler: what runs goes on, nothing new starts',
    access: 'admin',
    answers: ok(orchestratorSchema),
  },
  {
    method: 'get',
    path: '/api/orchestrator/policy',
    tag: 'queue',
    summary: 'How jobs are scheduled',
    access: 'read',
    answers: ok(policySchema),
  },
  {
    method: 'put',
    path: '/api/orchestrator/policy',
    tag: 'queue',
    summary: 'Change how jobs are scheduled; what is left out stays',
    access: 'admin',
    body: updatePolicySchema,
    answers: ok(policySchema),
  },
  {
    method: 'get',
    path: '/api/models',
    tag: 'queue',
    summary: 'How many GPUs each model needs',
    access: 'read',
    answers: ok(modelTableSchema),
  },
  {
    method: 'put',
    path: '/api/models',
    tag: 'queue',
    summary: 'Replace the table of models',
    access: 'admin',
    body: modelTableSchema,
    answers: ok(modelTableSchema),
  },
]
