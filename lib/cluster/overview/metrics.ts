import { Gauge, Registry } from 'prom-client'
import type { Actor } from '../../access/actor'
import { storageKinds } from '../../contract/access/storage-kinds'
import type { ClusterGpu, ClusterNode } from '../../contract/cluster/cluster'
import { gpuStates } from '../../contract/cluster/gpu-states'
import { activeStatuses } from '../../contract/status'
import { database } from '../../database/client'
import { type ActiveJobs, countActiveJobs } from '../../jobs/read/active-jobs'
import { type DiskSpace, diskSpace } from '../../storage/free-space'
import { readCluster } from './read-cluster'

interface Figures {
  oldestWaitingS: number
  unstoredResults: number
  /** Bytes by kind; a kind without files has none. */
  stored: Record<string, number>
}

const bytesPerMib = 1024 * 1024
const toBytes = (mib: number | null | undefined) => (mib == null ? null : mib * bytesPerMib)

/** The gauges for each GPU; null if the last sample has no value. */
const gpuFigures: {
  name: string
  help: string
  value: (gpu: ClusterGpu, use: ClusterGpu['use']) => number | null
}[] = [
  {
    name: 'gpuq_gpu_allocated_ratio',
    help: 'Allocated share of each GPU',
    value: (gpu) => gpu.allocated,
  },
  { name: 'gpuq_gpu_memory_bytes', help: 'Memory of each GPU', value: (gpu) => toBytes(gpu.memory_mib) },
  {
    name: 'gpuq_gpu_load_ratio',
    help: 'Load of each GPU when it was last sampled',
    value: (_, use) => use?.load ?? null,
  },
  {
    name: 'gpuq_gpu_memory_used_bytes',
    help: 'Memory in use on each GPU when it was last sampled',
    value: (_, use) => toBytes(use?.memory_used_mib),
  },
  {
    name: 'gpuq_gpu_temperature_celsius',
    help: 'Temperature of each GPU when it was last sampled',
    value: (_, use) => use?.temperature_c ?? null,
  },
  {
    name: 'gpuq_gpu_power_watts',
    help: 'Power that each GPU drew when it was last sampled',
    value: (_, use) => use?.power_w ?? null,
  },
]

type Gauges = <Label extends string>(name: string, help: string, labels?: readonly Label[]) => Gauge<Label>

/**
 * Renders the cluster's metrics in the Prometheus text format. Read from the database each time, so every process
 * returns the same values.
 */
export async function renderMetrics(actor: Actor): Promise<{ body: string; contentType: string }> {
  const [figures, active, { nodes }, disk] = await Promise.all([
    readFigures(),
    countActiveJobs(),
    readCluster(actor),
    diskSpace(),
  ])
  const registry = new Registry()
  const gauge: Gauges = (name, help, labelNames = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  setJobs(gauge, active, figures)
  setStorage(gauge, figures, disk)
  setNodes(gauge, nodes)
  setGpus(gauge, nodes)
  return { body: await registry.metrics(), contentType: registry.contentType }
}

function setJobs(
  gauge: Gauges,
  { byStatus, byReason }: ActiveJobs,
  { oldestWaitingS, unstoredResults }: Figures,
): void {
  const active = gauge('gpuq_jobs', 'Active jobs by status', ['status'])
  for (const status of activeStatuses) active.set({ status }, byStatus[status])
  const reasons = gauge('gpuq_jobs_waiting', 'Waiting jobs by the reason why they wait', ['reason'])
  for (const [reason, count] of Object.entries(byReason)) reasons.set({ reason }, count)
  gauge('gpuq_queue_oldest_seconds', 'How long the oldest waiting job has waited').set(oldestWaitingS)
  gauge('gpuq_results_unstored', 'Ended jobs whose output is not yet stored as a file').set(unstoredResults)
}

function setStorage(gauge: Gauges, { stored }: Figures, disk: DiskSpace): void {
  const bytes = gauge('gpuq_stored_bytes', 'Stored bytes by kind', ['kind'])
  for (const kind of storageKinds) bytes.set({ kind }, stored[kind] ?? 0)
  if (Number.isFinite(disk.freeBytes)) {
    gauge('gpuq_disk_free_bytes', "Free space on the data directory's disk").set(disk.freeBytes)
  }
  gauge('gpuq_disk_low', '1 if the disk is almost full, so that gpuq accepts no jobs and uploads').set(
    disk.low ? 1 : 0,
  )
}

function setNodes(gauge: Gauges, nodes: readonly ClusterNode[]): void {
  const ready = gauge('gpuq_node_ready', '1 if a node accepts jobs', ['node', 'state', 'simulated'])
  for (const { name, state, simulated } of nodes) {
    ready.set({ node: name, state, simulated: String(simulated) }, state === 'ready' ? 1 : 0)
  }
}

function setGpus(gauge: Gauges, nodes: readonly ClusterNode[]): void {
  const counts = gauge('gpuq_gpus', 'GPUs by state', ['state'])
  for (const state of gpuStates) counts.set({ state }, 0)
  for (const { state } of nodes.flatMap(({ gpus }) => gpus)) counts.inc({ state })
  for (const { name, help, value } of gpuFigures) {
    const figure = gauge(name, help, ['node', 'gpu', 'simulated'])
    for (const node of nodes) {
      // The last samples of a node without a worker do not describe the present.
      const isServed = node.state !== 'lost' && node.state !== 'drained'
      for (const gpu of node.gpus) {
        // The number of a missing GPU may have been given to another GPU.
        if (gpu.state === 'missing') continue
        const labels = { node: node.name, gpu: String(gpu.index), simulated: String(gpu.simulated) }
        const measured = value(gpu, isServed ? gpu.use : null)
        if (measured !== null) figure.set(labels, measured)
      }
    }
  }
}

async function readFigures(): Promise<Figures> {
  const { rows } = await database().pool.query<Figures>(
    `SELECT (SELECT greatest(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM jobs WHERE status = 'pending') AS "oldestWaitingS",
             (SELECT count(*)::int FROM jobs WHERE status IN ('completed', 'failed', 'cancelled') AND NOT result_stored) AS "unstoredResults",
             (SELECT coalesce(jsonb_object_agg(kind, bytes), '{}') FROM (
                SELECT kind, sum(bytes)::int8 AS bytes FROM storage_changes GROUP BY 1) k) AS stored`,
  )
  const [row] = rows
  if (!row) throw new Error('The metrics query returned no row. Check the database migrations.')
  return row
}
