import type { z } from 'zod'
import {
  clusterHistorySchema,
  clusterSchema,
  type initializeSchema,
  modelTableSchema,
  orchestratorSchema,
  policySchema,
  queueSchema,
  type updateGpuSchema,
  type updateNodeSchema,
  type updatePolicySchema,
} from '../../contract/cluster'
import { queueJobDetailSchema, type queueSubmitSchema, queueSubmittedSchema } from '../../contract/queue'
import type { Transport } from './transport'

export type UpdateNode = z.input<typeof updateNodeSchema>
export type UpdateGpu = z.input<typeof updateGpuSchema>
export type UpdatePolicy = z.input<typeof updatePolicySchema>
export type QueueSubmission = z.input<typeof queueSubmitSchema>
export type Initialize = z.input<typeof initializeSchema>

/** Which nodes are meant, all where nothing is said. */
export interface NodesWanted {
  limit?: number
  offset?: number
  name?: string | undefined
  not_ready?: boolean | undefined
}

const segment = encodeURIComponent

/** Nodes, GPUs and the policy they are given out by. */
export function clusterCalls(transport: Transport) {
  return {
    get: (query: NodesWanted = {}, signal?: AbortSignal) =>
      transport.json('/api/cluster', clusterSchema, { signal, query: { ...query } }),
    /** @param nodes the numbers of the nodes whose GPUs are meant; left out: all. */
    history: (nodes?: readonly number[], signal?: AbortSignal) =>
      transport.json('/api/cluster/history', clusterHistorySchema, {
        signal,
        query: { nodes: nodes?.join(',') },
      }),
    updateNode: (number: number, body: UpdateNode) =>
      transport.done(`/api/nodes/${number}`, { method: 'PATCH', body }),
    updateGpu: (id: string, body: UpdateGpu) =>
      transport.done(`/api/gpus/${segment(id)}`, { method: 'PATCH', body }),
    forgetNode: (number: number) => transport.done(`/api/nodes/${number}`, { method: 'DELETE' }),
    forgetGpu: (id: string) => transport.done(`/api/gpus/${segment(id)}`, { method: 'DELETE' }),
    initialize: (body: Initialize) => transport.done('/api/gpu/initialize', { method: 'POST', body }),
    models: (signal?: AbortSignal) => transport.json('/api/models', modelTableSchema, { signal }),
    replaceModels: (body: z.input<typeof modelTableSchema>) =>
      transport.done('/api/models', { method: 'PUT', body }),
  }
}

/** Jobs that wait or run, in their order. */
export function queueCalls(transport: Transport) {
  return {
    list: (query: { limit?: number } = {}, signal?: AbortSignal) =>
      transport.json('/api/queue', queueSchema, { signal, query }),
    get: (id: string, signal?: AbortSignal) =>
      transport.json(`/api/queue/${segment(id)}`, queueJobDetailSchema, { signal }),
    submit: (body: QueueSubmission, query: { deduplicate?: boolean } = {}) =>
      transport.json('/api/queue/submit', queueSubmittedSchema, { method: 'POST', body, query }),
    setPriority: (id: string, priority: number) =>
      transport.done(`/api/queue/${segment(id)}/priority`, { method: 'PATCH', body: { priority } }),
    cancel: (id: string) => transport.done(`/api/queue/${segment(id)}`, { method: 'DELETE' }),
  }
}

/** The scheduler: whether it runs, and by which policy. */
export function orchestratorCalls(transport: Transport) {
  return {
    status: (signal?: AbortSignal) =>
      transport.json('/api/orchestrator/status', orchestratorSchema, { signal }),
    start: () => transport.done('/api/orchestrator/start', { method: 'POST' }),
    stop: () => transport.done('/api/orchestrator/stop', { method: 'POST' }),
    policy: (signal?: AbortSignal) => transport.json('/api/orchestrator/policy', policySchema, { signal }),
    updatePolicy: (body: UpdatePolicy) => transport.done('/api/orchestrator/policy', { method: 'PUT', body }),
  }
}
