import { clusterHistorySchema, clusterSchema } from '../cluster/schemas'
import { type Operation, ok } from './openapi-operation'

/** Nodes and GPUs. */
export const clusterOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/cluster',
    tag: 'cluster',
    summary: 'Every node and GPU, and who runs what',
    access: 'read',
    answers: ok(clusterSchema),
  },
  {
    method: 'get',
    path: '/api/cluster/history',
    tag: 'cluster',
    summary: "Each GPU's last hour",
    access: 'read',
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
]
