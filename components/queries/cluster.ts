import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { NodesWanted, UpdateGpu, UpdateNode } from '@/lib/contract/cluster/cluster'
import { api, changing, keys } from './queries'

/*
 * The queries and changes of the cluster, for its page and for those of jobs. A browser repeats them only while the page
 * is visible. Unchanged data keeps its identity, so that only changed tiles and rows render again.
 */

/** The start of every key in this file: a change of the cluster makes all of them stale. */
const cluster = ['cluster'] as const

const liveMs = 2500
const samplesMs = 15_000

/** The rows of the queue that a page shows at first, and that each further step adds. */
export const queueStep = 50

/** The nodes on one page. A smaller cluster has one page. */
export const nodesPerPage = 48

/** The kinds of GPUs that a job can ask for. */
export const hardwareQuery = () =>
  queryOptions({
    queryKey: [...cluster, 'hardware'],
    queryFn: ({ signal }) => api.cluster.hardware(signal),
    staleTime: samplesMs,
    retry: false,
  })

/** The current state of the cluster and of the selected nodes. */
export const clusterQuery = (wanted: NodesWanted = { limit: nodesPerPage }) =>
  queryOptions({
    queryKey: [...cluster, 'status', wanted],
    queryFn: ({ signal }) => api.cluster.get(wanted, signal),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

/** The last hour of some nodes' GPUs. */
export const clusterHistoryQuery = (nodes: readonly number[]) =>
  queryOptions({
    queryKey: [...cluster, 'history', nodes],
    queryFn: ({ signal }) => api.cluster.history({ nodes: [...nodes] }, signal),
    refetchInterval: samplesMs,
    // Every answer changes every series: a comparison point by point has no use.
    structuralSharing: false,
  })

/** The first waiting jobs in their expected order, and the first running jobs. */
export const queueQuery = (limit: number) =>
  queryOptions({
    queryKey: [...cluster, 'queue', limit],
    queryFn: ({ signal }) => api.queue.list({ limit }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: liveMs,
  })

/** A job's position in the queue. It changes when other jobs end, and the job's own page receives no event of that. */
export const queueJobQuery = (id: string) =>
  queryOptions({
    queryKey: [...cluster, 'queue', id],
    queryFn: ({ signal }) => api.queue.get(id, signal),
    refetchInterval: liveMs,
  })

export const orchestratorQuery = () =>
  queryOptions({
    queryKey: [...cluster, 'orchestrator'],
    queryFn: ({ signal }) => api.orchestrator.status(signal),
    refetchInterval: liveMs,
  })

export const policyQuery = () =>
  queryOptions({
    queryKey: [...cluster, 'policy'],
    queryFn: ({ signal }) => api.orchestrator.policy(signal),
  })

export const modelsQuery = () =>
  queryOptions({ queryKey: [...cluster, 'models'], queryFn: ({ signal }) => api.cluster.models(signal) })

export const updateNode = changing(
  ({ number, ...body }: UpdateNode & { number: number }) => api.cluster.updateNode(number, body),
  cluster,
)
export const updateGpu = changing(
  ({ id, ...body }: UpdateGpu & { id: string }) => api.cluster.updateGpu(id, body),
  cluster,
)
export const forgetNode = changing((number: number) => api.cluster.forgetNode(number), cluster)
export const forgetGpu = changing((id: string) => api.cluster.forgetGpu(id), cluster)
export const initializeNodes = changing(api.cluster.initialize, cluster)
export const replaceModels = changing(api.cluster.replaceModels, cluster)
export const updatePolicy = changing(api.orchestrator.updatePolicy, cluster)

export const setSchedulerRunning = changing(
  (running: boolean) => (running ? api.orchestrator.start() : api.orchestrator.stop()),
  cluster,
)
export const setPriority = changing(
  ({ id, priority }: { id: string; priority: number }) => api.queue.setPriority(id, { priority }),
  cluster,
)
export const setHeld = changing(
  ({ id, held }: { id: string; held: boolean }) => api.queue.setHeld(id, { held }),
  cluster,
  keys.jobs,
)
export const cancelQueued = changing((id: string) => api.queue.cancel(id), cluster, keys.jobs)
