import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { NodesWanted, UpdateGpu, UpdateNode } from '@/lib/contract/cluster'
import { api, changing, keys } from './queries'

/*
 * What a cluster does, for its page and for those of jobs. Browsers ask again only while the page is in view, and what
 * has not changed keeps its identity, so that only tiles and rows that changed are drawn again.
 */

export const clusterKeys = {
  /** Everything below changes whenever a job starts or an admin acts. */
  all: ['cluster'] as const,
  statusOf: (wanted: NodesWanted) => ['cluster', 'status', wanted] as const,
  historyOf: (nodes: readonly number[]) => ['cluster', 'history', nodes] as const,
  queueOf: (limit: number) => ['cluster', 'queue', limit] as const,
  queueJob: (id: string) => ['cluster', 'queue', id] as const,
  orchestrator: ['cluster', 'orchestrator'] as const,
  policy: ['cluster', 'policy'] as const,
  models: ['cluster', 'models'] as const,
}

const liveMs = 2500

/** Rows of the queue that a page shows at first and adds at a time: a long queue is read from its front. */
export const queueStep = 50
const samplesMs = 15_000

/** Nodes of a page of the cluster: a cluster that is not larger has one page. */
export const nodesPerPage = 48

/** The cluster's figures as they are now, and the nodes that are wanted of it. */
export function clusterQuery(wanted: NodesWanted = { limit: nodesPerPage }) {
  return queryOptions({
    queryKey: clusterKeys.statusOf(wanted),
    queryFn: ({ signal }) => api.cluster.get(wanted, signal),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })
}

/** The last hour of some nodes' GPUs. */
export function clusterHistoryQuery(nodes: readonly number[]) {
  return queryOptions({
    queryKey: clusterKeys.historyOf(nodes),
    queryFn: ({ signal }) => api.cluster.history({ nodes: [...nodes] }, signal),
    refetchInterval: samplesMs,
    // Every series moves on with every answer: comparing them point by point would gain nothing.
    structuralSharing: false,
  })
}

/** The first jobs that wait, in the order they should start, and the first of those that run. */
export function queueQuery(limit: number) {
  return queryOptions({
    queryKey: clusterKeys.queueOf(limit),
    queryFn: ({ signal }) => api.queue.list({ limit }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: liveMs,
  })
}

/** One job's place in the queue. It moves when others end, of which its own page hears nothing. */
export function queueJobQuery(id: string) {
  return queryOptions({
    queryKey: clusterKeys.queueJob(id),
    queryFn: ({ signal }) => api.queue.get(id, signal),
    refetchInterval: liveMs,
  })
}

export function orchestratorQuery() {
  return queryOptions({
    queryKey: clusterKeys.orchestrator,
    queryFn: ({ signal }) => api.orchestrator.status(signal),
    refetchInterval: liveMs,
  })
}

export function policyQuery() {
  return queryOptions({
    queryKey: clusterKeys.policy,
    queryFn: ({ signal }) => api.orchestrator.policy(signal),
  })
}

export function modelsQuery() {
  return queryOptions({
    queryKey: clusterKeys.models,
    queryFn: ({ signal }) => api.cluster.models(signal),
  })
}

export const updateNode = changing(
  ({ number, ...body }: UpdateNode & { number: number }) => api.cluster.updateNode(number, body),
  clusterKeys.all,
)
export const updateGpu = changing(
  ({ id, ...body }: UpdateGpu & { id: string }) => api.cluster.updateGpu(id, body),
  clusterKeys.all,
)
export const forgetNode = changing((number: number) => api.cluster.forgetNode(number), clusterKeys.all)
export const forgetGpu = changing((id: string) => api.cluster.forgetGpu(id), clusterKeys.all)
export const initializeNodes = changing(api.cluster.initialize, clusterKeys.all)
export const replaceModels = changing(api.cluster.replaceModels, clusterKeys.all)
export const updatePolicy = changing(api.orchestrator.updatePolicy, clusterKeys.all)

export const setSchedulerRunning = changing(
  (running: boolean) => (running ? api.orchestrator.start() : api.orchestrator.stop()),
  clusterKeys.all,
)
export const setPriority = changing(
  ({ id, priority }: { id: string; priority: number }) => api.queue.setPriority(id, { priority }),
  clusterKeys.all,
)
export const cancelQueued = changing((id: string) => api.queue.cancel(id), clusterKeys.all, keys.jobs)
