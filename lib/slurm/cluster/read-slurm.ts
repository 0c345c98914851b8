import { type Actor, isAdmin } from '../../access/actor'
import type { ClusterQuery } from '../../contract/cluster/cluster'
import { database } from '../../database/client'
import { requireEngine } from '../../engine/external-engine'
import { env } from '../../env'
import type { SlurmNodeState, SlurmPartition } from '../client/slurm-client'
import type { SlurmClusterView, SlurmNodeView, SlurmOtherJob, SlurmPartitionView } from '../contract'
import { readSlurmCluster, readSlurmState, type StoredOtherJob } from './stored-cluster'

const maxShownJobs = 50

/** Reads the Slurm cluster as the leader last read it. Only admins see who the other users are. @throws 409 under `builtin`. */
export async function readSlurmView(
  actor: Actor,
  { limit, offset, name, not_ready }: ClusterQuery = { offset: 0 },
): Promise<SlurmClusterView> {
  requireEngine('slurm', 'This gpuq does not use Slurm. GET /api/cluster has its nodes.')
  const [state, cluster, workers, requests] = await Promise.all([
    readSlurmState(),
    readSlurmCluster(),
    readWorkers(),
    isAdmin(actor) ? readRequests() : new Map<string, SlurmNodeView['request']>(),
  ])
  const nodes = cluster.nodes.map((node) => ({
    ...toNode(node),
    worker: workers.get(node.name) ?? ('missing' as const),
    request: requests.get(node.name) ?? null,
  }))
  const wanted = name?.toLowerCase() ?? ''
  const matching = nodes.filter(
    (node) =>
      node.name.toLowerCase().includes(wanted) && !(not_ready && isReady(node) && node.worker === 'ready'),
  )
  return {
    ...state,
    accounting: cluster.accounting,
    may_drain: env().GPUQ_SLURM_ADMIN && isAdmin(actor),
    totals: countNodes(nodes),
    matching_nodes: matching.length,
    nodes: matching.slice(offset, limit === undefined ? undefined : offset + limit),
    partitions: cluster.partitions.map((partition) => toPartition(partition, cluster.nodes)),
    other_jobs: summarizeJobs(cluster.otherJobs, isAdmin(actor)),
  }
}

/** Names in an error, or in a sentence. */
const maxNamed = 20

const isReady = ({ state }: Pick<SlurmNodeView, 'state'>) => ['free', 'mixed', 'full'].includes(state)

function countNodes(nodes: readonly SlurmNodeView[]): SlurmClusterView['totals'] {
  const up = nodes.filter(({ state }) => state !== 'down')
  const withoutWorker = up.filter(({ worker }) => worker !== 'ready').map(({ name }) => name)
  const gpus = up.flatMap((node) => node.gpus.map((of) => ({ ...of, ready: isReady(node) })))
  return {
    nodes: nodes.length,
    ready_nodes: nodes.filter(isReady).length,
    gpus: gpus.reduce((sum, { count }) => sum + count, 0),
    used_gpus: gpus.reduce((sum, { used }) => sum + used, 0),
    free_gpus: gpus.reduce((sum, { count, used, ready }) => sum + (ready ? count - used : 0), 0),
    without_worker: withoutWorker.slice(0, maxNamed),
    nodes_without_worker: withoutWorker.length,
  }
}

/** The states of gpuq's workers. A worker has the name that Slurm gives its node. */
async function readWorkers(): Promise<Map<string, SlurmNodeView['worker']>> {
  const { rows } = await database().pool.query<{ name: string; ready: boolean }>({
    name: 'slurm-workers',
    text: `SELECT name, status = 'ready' AND lease_expires_at > now() AS ready FROM nodes
            WHERE NOT simulated AND forgotten_at IS NULL ORDER BY ready`,
  })
  return new Map(rows.map(({ name, ready }) => [name, ready ? 'ready' : 'lost']))
}

async function readRequests(): Promise<Map<string, SlurmNodeView['request']>> {
  const { rows } = await database().pool.query<{
    node: string
    drained: boolean
    reason: string | null
    requested_by: string | null
    requested_at: Date
    problem: string | null
  }>(
    `SELECT r.node, r.drained, r.reason, u.handle AS requested_by, r.requested_at, r.problem
       FROM slurm_node_requests r LEFT JOIN users u ON u.id = r.requested_by_id`,
  )
  return new Map(
    rows.map(({ node, requested_at, ...request }) => [
      node,
      { ...request, requested_at: requested_at.toISOString() },
    ]),
  )
}

function toNode(node: SlurmNodeState): Omit<SlurmNodeView, 'worker' | 'request'> {
  return {
    name: node.name,
    state: stateOf(node),
    slurm_states: node.states,
    reason: node.reason,
    partitions: node.partitions,
    cpus: node.cpus,
    used_cpus: node.usedCpus,
    memory_mib: node.memoryMib,
    used_memory_mib: node.usedMemoryMib,
    gpus: node.gpus,
  }
}

/** Slurm's words for a node that does not work. */
const broken = ['DOWN', 'ERROR', 'FAIL', 'UNKNOWN', 'NOT_RESPONDING', 'FUTURE']
const busy = ['ALLOCATED', 'MIXED', 'COMPLETING']

/** Summarizes Slurm's states of a node in one word. */
function stateOf(
  node: Pick<SlurmNodeState, 'states' | 'cpus' | 'usedCpus' | 'gpus'>,
): SlurmNodeView['state'] {
  const has = (words: readonly string[]) => words.some((word) => node.states.includes(word))
  if (has(broken)) return 'down'
  if (has(['DRAIN', 'DRAINING', 'DRAINED'])) return has(busy) || node.usedCpus > 0 ? 'draining' : 'drained'
  const count = node.gpus.reduce((sum, gpus) => sum + gpus.count, 0)
  const used = node.gpus.reduce((sum, gpus) => sum + gpus.used, 0)
  if (node.usedCpus >= node.cpus || (count > 0 && used >= count)) return 'full'
  return used > 0 || node.usedCpus > 0 ? 'mixed' : 'free'
}

function toPartition(
  { name, isDefault, state, nodes, maxTimeS }: SlurmPartition,
  all: readonly SlurmNodeState[],
): SlurmPartitionView {
  const gpus = all.filter(({ partitions }) => partitions.includes(name)).flatMap((node) => node.gpus)
  return {
    name,
    is_default: isDefault,
    state,
    nodes,
    max_time_s: maxTimeS,
    gpus: gpus.reduce((sum, { count }) => sum + count, 0),
    used_gpus: gpus.reduce((sum, { used }) => sum + used, 0),
  }
}

/** What the jobs of other programs occupy. */
function summarizeJobs(jobs: readonly StoredOtherJob[], named: boolean): SlurmClusterView['other_jobs'] {
  const running = jobs.filter(({ nodes, state }) => nodes.length > 0 && state !== 'PENDING')
  const largest = running.toSorted((a, b) => b.gpus - a.gpus || b.cpus - a.cpus || a.id - b.id)
  return {
    running: running.length,
    waiting: jobs.filter(({ state }) => state === 'PENDING').length,
    gpus: running.reduce((sum, { gpus }) => sum + gpus, 0),
    largest: largest.slice(0, maxShownJobs).map((job) => toOtherJob(job, named)),
  }
}

function toOtherJob(job: StoredOtherJob, named: boolean): SlurmOtherJob {
  return {
    slurm_id: job.id,
    user: named ? job.user : null,
    name: named ? job.name : null,
    state: job.state,
    partition: job.partition,
    nodes: job.nodes,
    gpus: job.gpus,
    cpus: job.cpus,
    started_at: job.startedAt === null ? null : new Date(job.startedAt).toISOString(),
  }
}
