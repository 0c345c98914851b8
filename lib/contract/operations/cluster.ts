import * as cluster from '../cluster'
import { defineOperations, done, get, ok, patch, post, put, remove } from './operation'

/** Nodes and GPUs. */
export const clusterOperations = defineOperations('cluster', 'cluster', {
  get: get('/api/cluster', 'read', 'Every node and GPU, and who runs what', {
    query: cluster.clusterQuerySchema,
    responses: ok(cluster.clusterSchema),
  }),
  history: get('/api/cluster/history', 'read', "Each GPU's last hour", {
    query: cluster.historyQuerySchema,
    responses: ok(cluster.clusterHistorySchema),
  }),
  status: get('/api/gpu/status', 'read', 'The same as /api/cluster; also at /gpu/status', {
    query: cluster.clusterQuerySchema,
    responses: ok(cluster.clusterSchema),
  }),
  updateNode: patch('/api/nodes/{id}', 'admin', 'Pause or resume a node, or end its quarantine', {
    body: cluster.updateNodeSchema,
    responses: ok(cluster.clusterNodeSchema),
  }),
  forgetNode: remove(
    '/api/nodes/{id}',
    'admin',
    'Forget a node that no worker serves any more; served again, it is back',
    {
      responses: { ...done, 409: { description: 'A worker serves it, or jobs are on it' } },
    },
  ),
  updateGpu: patch('/api/gpus/{id}', 'admin', 'Pause or resume a GPU', {
    body: cluster.updateGpuSchema,
    responses: ok(cluster.clusterGpuSchema),
  }),
  forgetGpu: remove(
    '/api/gpus/{id}',
    'admin',
    'Forget a GPU that its node does not find any more; found again, it is back',
    {
      responses: { ...done, 409: { description: 'It is there, or a job holds it' } },
    },
  ),
  initialize: post(
    '/api/gpu/initialize',
    'admin',
    'Make simulated nodes, resize or remove them; also at /gpu/initialize',
    {
      body: cluster.initializeSchema,
      bodyOptional: true,
      responses: {
        200: { description: 'They are ready', schema: cluster.clusterSchema },
        202: { description: 'They are made, and no worker serves them yet', schema: cluster.clusterSchema },
      },
    },
  ),
})

/** How many GPUs each model needs. */
export const modelOperations = defineOperations('cluster', 'queue', {
  models: get('/api/models', 'read', 'How many GPUs each model needs', {
    responses: ok(cluster.modelTableSchema),
  }),
  replaceModels: put('/api/models', 'admin', 'Replace the table of models', {
    body: cluster.modelTableSchema,
    responses: ok(cluster.modelTableSchema),
  }),
})
