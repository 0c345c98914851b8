import {
  clusterGpuSchema,
  clusterHistorySchema,
  clusterNodeSchema,
  clusterQuerySchema,
  clusterSchema,
  historyQuerySchema,
  initializeSchema,
  modelTableSchema,
  updateGpuSchema,
  updateNodeSchema,
} from '../cluster'
import { defineOperations, done, ok } from './operation'

/** Nodes and GPUs. */
export const clusterOperations = defineOperations('cluster', 'cluster', {
  get: {
    method: 'get',
    path: '/api/cluster',
    summary: 'Every node and GPU, and who runs what',
    access: 'read',
    query: clusterQuerySchema,
    responses: ok(clusterSchema),
  },
  history: {
    method: 'get',
    path: '/api/cluster/history',
    summary: "Each GPU's last hour",
    access: 'read',
    query: historyQuerySchema,
    responses: ok(clusterHistorySchema),
  },
  status: {
    method: 'get',
    path: '/api/gpu/status',
    summary: 'The same as /api/cluster; also at /gpu/status',
    access: 'read',
    query: clusterQuerySchema,
    responses: ok(clusterSchema),
  },
  updateNode: {
    method: 'patch',
    path: '/api/nodes/{id}',
    summary: 'Pause or resume a node, or end its quarantine',
    access: 'admin',
    body: updateNodeSchema,
    responses: ok(clusterNodeSchema),
  },
  forgetNode: {
    method: 'delete',
    path: '/api/nodes/{id}',
    summary: 'Forget a node that no worker serves any more; served again, it is back',
    access: 'admin',
    responses: { ...done, 409: { description: 'A worker serves it, or jobs are on it' } },
  },
  updateGpu: {
    method: 'patch',
    path: '/api/gpus/{id}',
    summary: 'Pause or resume a GPU',
    access: 'admin',
    body: updateGpuSchema,
    responses: ok(clusterGpuSchema),
  },
  forgetGpu: {
    method: 'delete',
    path: '/api/gpus/{id}',
    summary: 'Forget a GPU that its node does not find any more; found again, it is back',
    access: 'admin',
    responses: { ...done, 409: { description: 'It is there, or a job holds it' } },
  },
  initialize: {
    method: 'post',
    path: '/api/gpu/initialize',
    summary: 'Make simulated nodes, resize or remove them; also at /gpu/initialize',
    access: 'admin',
    body: initializeSchema,
    bodyOptional: true,
    responses: {
      200: { description: 'They are ready', schema: clusterSchema },
      202: { description: 'They are made, and no worker serves them yet', schema: clusterSchema },
    },
  },
})

/** How many GPUs each model needs. */
export const modelOperations = defineOperations('cluster', 'queue', {
  models: {
    method: 'get',
    path: '/api/models',
    summary: 'How many GPUs each model needs',
    access: 'read',
    responses: ok(modelTableSchema),
  },
  replaceModels: {
    method: 'put',
    path: '/api/models',
    summary: 'Replace the table of models',
    access: 'admin',
    body: modelTableSchema,
    responses: ok(modelTableSchema),
  },
})
