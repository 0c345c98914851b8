import {
  clusterGpuSchema,
  clusterHistorySchema,
  clusterNodeSchema,
  clusterQuerySchema,
  clusterSchema,
  historyQuerySchema,
  initializeSchema,
  updateGpuSchema,
  updateNodeSchema,
} from '../cluster/schemas'
import { type Operation, ok } from './openapi-operation'

/** Nodes and GPUs. */
export const clusterOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/cluster',
    tag: 'cluster',
    summary: 'Every node and GPU, and who runs what',
    access: 'read',
    query: clusterQuerySchema,
    answers: ok(clusterSchema),
  },
  {
    method: 'get',
    path: '/api/cluster/history',
    tag: 'cluster',
    summary: "Each GPU's last hour",
    access: 'read',
    query: historyQuerySchema,
    answers: ok(clusterHistorySchema),
  },
  {
    method: 'get',
    path: '/api/gpu/status',
    tag: 'cluster',
    summary: 'The same as /api/cluster; also at /gpu/status',
    access: 'read',
    answers: ok(clusterSchema),
  },
  {
    method: 'patch',
    path: '/api/nodes/{id}',
    tag: 'cluster',
    summary: 'Pause or resume a node, or end its quarantine',
    access: 'admin',
    body: updateNodeSchema,
    answers: ok(clusterNodeSchema),
  },
  {
    method: 'patch',
    path: '/api/gpus/{id}',
    tag: 'cluster',
    summary: 'Pause or resume a GPU',
    access: 'admin',
    body: updateGpuSchema,
    answers: ok(clusterGpuSchema),
  },
  {
    method: 'post',
    path: '/api/gpu/initialize',
    tag: 'cluster',
    summary: 'Make simulated nodes, resize or remove them; also at /gpu/initialize',
    access: 'admin',
    body: initializeSchema,
    bodyOptional: true,
    answers: {
      200: { description: 'They are ready', schema: clusterSchema },
      202: { description: 'They are made, and no worker serves them yet', schema: clusterSchema },
    },
  },
]
