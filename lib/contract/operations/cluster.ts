import * as z from 'zod'
import * as cluster from '../cluster/cluster'
import * as history from '../cluster/cluster-history'
import * as policy from '../cluster/policy'
import { hardwareSchema } from '../submission/dry-run'
import { defineOperations, done, get, ok, patch, post, put, remove } from './operation'

/** Nodes and GPUs. */
export const clusterOperations = defineOperations('cluster', 'cluster', {
  get: get('/api/cluster', 'read', 'All nodes, GPUs and the jobs on them', {
    query: cluster.clusterQuerySchema,
    responses: ok(cluster.clusterSchema),
  }),
  history: get('/api/cluster/history', 'read', 'Use of each GPU in the last hour', {
    query: history.historyQuerySchema,
    responses: ok(history.clusterHistorySchema),
  }),
  status: get('/api/gpu/status', 'read', 'The same as /api/cluster; also at /gpu/status', {
    query: cluster.clusterQuerySchema,
    responses: ok(cluster.clusterSchema),
  }),
  hardware: get('/api/hardware', 'read', 'The kinds of GPUs that a job can ask for, and how many are free', {
    responses: ok(z.array(hardwareSchema)),
  }),
  updateNode: patch('/api/nodes/{id}', 'admin', 'Pause or resume a node, or end its quarantine', {
    body: cluster.updateNodeSchema,
    responses: ok(cluster.clusterNodeSchema),
  }),
  forgetNode: remove('/api/nodes/{id}', 'admin', 'Hide a node until a worker serves it again', {
    responses: { ...done, 409: { description: 'A worker serves the node, or it has jobs' } },
  }),
  updateGpu: patch('/api/gpus/{id}', 'admin', 'Pause or resume a GPU', {
    body: cluster.updateGpuSchema,
    responses: ok(cluster.clusterGpuSchema),
  }),
  forgetGpu: remove('/api/gpus/{id}', 'admin', 'Hide a missing GPU until its node finds it again', {
    responses: { ...done, 409: { description: 'The GPU is not missing, or a job uses it' } },
  }),
  initialize: post('/api/gpu/initialize', 'admin', 'Set the simulated nodes; also at /gpu/initialize', {
    body: cluster.initializeSchema,
    bodyOptional: true,
    responses: {
      200: { description: 'The nodes are ready', schema: cluster.clusterSchema },
      202: { description: 'The nodes exist, but no worker serves them yet', schema: cluster.clusterSchema },
    },
  }),
})

export const modelOperations = defineOperations('cluster', 'queue', {
  models: get('/api/models', 'read', 'Number of GPUs for each model', {
    responses: ok(policy.modelTableSchema),
  }),
  replaceModels: put('/api/models', 'admin', 'Replace the table of models', {
    body: policy.modelTableSchema,
    responses: ok(policy.modelTableSchema),
  }),
})
