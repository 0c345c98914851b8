import { z } from 'zod'
import type { Cluster, ClusterGpu, ClusterNode, Queue } from '@/lib/contract/cluster/cluster'
import type { JobSummary } from '@/lib/contract/jobs'
import { parseJson } from '@/lib/contract/parse-json'

/**
 * The content of the state file: the cluster's state, and requests to pause GPUs. This module reads and
 * writes no files.
 */

/** The name of a GPU in the file: its number if there is one node, otherwise `NODE:NUMBER`. */
type GpuName = number | string

const namesSchema = z.array(z.union([z.number().int().min(0), z.string()]))
const requestsSchema = z.object({
  paused_gpus: namesSchema.optional(),
  known_paused_gpus: namesSchema.optional(),
})

interface StateRequests {
  /** GPU ids. */
  pause: string[]
  resume: string[]
  /** Names that match no GPU of the cluster. */
  unknown: GpuName[]
}

/** The nodes that have or should have a worker. */
function servedNodes({ nodes }: Pick<Cluster, 'nodes'>): ClusterNode[] {
  return nodes.filter(({ state }) => state !== 'lost' && state !== 'drained')
}

function namedGpus(cluster: Pick<Cluster, 'nodes'>): { name: GpuName; node: ClusterNode; gpu: ClusterGpu }[] {
  const nodes = servedNodes(cluster)
  return nodes.flatMap((node) =>
    node.gpus.map((gpu) => ({
      name: nodes.length === 1 ? gpu.index : `${node.name}:${gpu.index}`,
      node,
      gpu,
    })),
  )
}

/** Finds a GPU by any of its names. A number alone refers to the only node. */
function findGpu(cluster: Pick<Cluster, 'nodes'>, given: GpuName): ClusterGpu | undefined {
  const nodes = servedNodes(cluster)
  const [only] = nodes
  const found = namedGpus(cluster).find(({ name, node, gpu }) =>
    [String(name), `${node.name}:${gpu.index}`, gpu.gpu_id].includes(String(given).trim()),
  )
  return (
    found?.gpu ?? (nodes.length === 1 ? only?.gpus.find(({ index }) => String(index) === given) : undefined)
  )
}

type RequestsReading = { ok: true; requests: StateRequests } | { ok: false; message: string }

/**
 * Finds the changes that others made to the file. gpuq writes `known_paused_gpus` next to `paused_gpus`: GPUs
 * that were added to `paused_gpus` are to be paused, removed ones are to be resumed. This works after a
 * restart too, and a file of another program only pauses GPUs.
 */
export function readRequests(text: string, cluster: Pick<Cluster, 'nodes'>): RequestsReading {
  const value = parseJson(text)
  if (value === undefined) return { ok: false, message: 'it is not valid JSON' }
  const parsed = requestsSchema.safeParse(value)
  if (!parsed.success) return { ok: false, message: 'paused_gpus must be a list of GPUs, such as [0, 1]' }
  const { paused_gpus: wanted, known_paused_gpus: known = [] } = parsed.data
  if (wanted === undefined) return { ok: true, requests: { pause: [], resume: [], unknown: [] } }
  const idsOf = (names: readonly GpuName[]) =>
    new Set(names.flatMap((name) => findGpu(cluster, name)?.gpu_id ?? []))
  const [wantedIds, knownIds] = [idsOf(wanted), idsOf(known)]
  return {
    ok: true,
    requests: {
      pause: [...wantedIds].filter((id) => !knownIds.has(id)),
      resume: [...knownIds].filter((id) => !wantedIds.has(id)),
      unknown: wanted.filter((name) => findGpu(cluster, name) === undefined),
    },
  }
}

interface StateFacts {
  server: string
  cluster: Cluster
  queue: Queue
  /** The newest jobs. */
  jobs: readonly JobSummary[]
}

/** Builds the content of the file. */
export function toStateContent({ server, cluster, queue, jobs }: StateFacts) {
  const gpus = namedGpus(cluster)
  const paused = gpus.filter(({ gpu }) => gpu.state === 'paused').map(({ name }) => name)
  const placed = [...queue.running, ...queue.queued]
  return {
    about:
      'Written by gpuq. Add a GPU to paused_gpus to pause it, remove it to resume it. All other fields are read-only.',
    server,
    paused_gpus: paused,
    known_paused_gpus: paused,
    gpus: gpus.map(({ name, node, gpu }) => ({
      gpu: name,
      index: gpu.index,
      node: node.name,
      uuid: gpu.uuid,
      model: gpu.model,
      simulated: gpu.simulated,
      state: gpu.state,
      reason: gpu.reason,
      paused: gpu.state === 'paused',
      allocation: gpu.allocated,
      memory_mib: gpu.memory_mib,
      memory_used_mib: gpu.use?.memory_used_mib ?? null,
      load: gpu.use?.load ?? null,
      jobs: gpu.jobs.map(({ job_id, user_id, share }) => ({ job_id, user: user_id, share })),
    })),
    queue: { running: queue.running.length, waiting: queue.queued_total },
    jobs: jobs.map((job) => {
      const place = placed.find(({ job_id }) => job_id === job.job_id)
      return {
        job_id: job.job_id,
        name: job.name,
        status: job.status,
        reason: place?.reason ?? job.reason,
        position: place?.position ?? null,
        node: place?.node ?? null,
        gpus: place?.gpus ?? [],
        exit_code: job.exit_code,
        submitted_at: job.created_at,
        started_at: job.started_at,
        ended_at: job.completed_at,
      }
    }),
  }
}
