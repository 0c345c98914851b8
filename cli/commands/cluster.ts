import type { Cluster, ClusterNode, Queue, QueueJob } from '@/lib/contract/cluster/cluster'
import { GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { formatExpectedStart, formatShare, formatWhen } from '../console/format'
import { type Column, renderTable } from '../console/table'
import type { Colour } from '../console/terminal'
import { type Context, print } from '../context'

/**
 * Reads what concerns all users.
 * @throws GpuqError that says what a token may see that is only for its own jobs, as that of an agent.
 */
export async function readOfAll<Answer>(client: Client, read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 403) throw error
    const seesJobs = await client.jobs.list({ limit: 1 }).then(
      () => true,
      () => false,
    )
    if (!seesJobs) throw error
    const advice =
      'It does not see the cluster and its queue. `gpuq jobs`, `gpuq status ID` and `gpuq budget` show what it sees.'
    throw new GpuqError('forbidden', `${error.message} ${advice}`, { cause: error })
  }
}

/** Lists waiting jobs in their expected start order, then running jobs. */
export async function queue(context: Context, { json }: { json?: boolean }): Promise<number> {
  const client = await context.connect()
  const found = await readOfAll(client, () => client.queue.list())
  return print(context, json, found, renderQueue(context, found))
}

export function renderQueue({ terminal }: Context, { running, queued, queued_total }: Queue): string {
  if (running.length + queued.length === 0) return 'The queue is empty and no jobs are running.\n'
  const now = Date.now()
  const columns: Column<QueueJob>[] = [
    { title: 'POSITION', cell: (job) => job.position ?? job.status, colour: colourOfQueued },
    { title: 'ID', cell: (job) => job.job_id },
    { title: 'USER', cell: (job) => job.user },
    { title: 'NAME', cell: (job) => job.name ?? job.run_id, long: true },
    {
      title: 'GPUS',
      cell: (job) => formatShare(job.gpu_fraction ?? job.gpu_count * job.instance_count),
      right: true,
    },
    { title: 'PRIORITY', cell: formatPriority, right: true },
    { title: 'STARTS', cell: (job) => formatWhen(job.started_at, now) ?? formatExpectedStart(job, now) },
    { title: 'GPUS OR REASON', cell: formatPlacement, long: true },
  ]
  const hidden = queued_total - queued.length
  const more = hidden > 0 ? `and ${hidden} more waiting jobs\n` : ''
  const shown = [...running, ...queued]
  const note = shown.some(({ line_priority }) => line_priority !== null) ? lineNote : ''
  return renderTable(columns, shown, terminal) + more + note
}

const lineNote = '* as in a jobs file: lower numbers start first. Without a star, higher numbers do.\n'

/** As the user typed it. */
function formatPriority({ priority, line_priority }: QueueJob): string {
  return line_priority === null ? `${priority} ` : `${line_priority}*`
}

function colourOfQueued({ status }: QueueJob): Colour {
  return status === 'running' ? 'cyan' : 'yellow'
}

function formatPlacement({ node, gpus, reason_text }: QueueJob): string | null {
  if (node === null) return reason_text
  return gpus.length > 0 ? `${node}: GPU ${gpus.join(', ')}` : node
}

/** Lists the nodes and their GPUs. */
export async function nodes(context: Context, { json }: { json?: boolean }): Promise<number> {
  const client = await context.connect()
  const found = await readOfAll(client, () => client.cluster.get())
  return print(context, json, found, renderNodes(context, found))
}

export function renderNodes({ terminal }: Context, { nodes: found }: Cluster): string {
  if (found.length === 0) return 'No nodes found. An admin can add one with `gpuq worker`.\n'
  const columns: Column<ReturnType<typeof toRows>[number]>[] = [
    { title: 'NODE', cell: (row) => row.node, colour: () => 'bold' },
    { title: 'GPU', cell: (row) => row.gpu, right: true },
    { title: 'MODEL', cell: (row) => row.model, long: true },
    { title: 'STATE', cell: (row) => row.state, colour: colourOfState },
    { title: 'ALLOCATED', cell: (row) => row.allocated, right: true },
    { title: 'LOAD', cell: (row) => row.load, right: true },
    { title: 'MEMORY', cell: (row) => row.memory, right: true },
    { title: 'REASON', cell: (row) => row.reason, long: true },
  ]
  return renderTable(columns, found.flatMap(toRows), terminal)
}

/** One row for the node, then one for each GPU. */
function toRows(node: ClusterNode) {
  const own = {
    node: node.name,
    gpu: '',
    model: node.simulated ? 'simulated' : '',
    state: node.state,
    allocated: `${formatShare(node.cpu_used_milli / 1000)}/${formatShare(node.cpu_milli / 1000)} CPU`,
    load: '',
    memory: formatMemory(node.memory_used_mib, node.memory_mib),
    reason: node.reason ?? '',
  }
  const gpus = node.gpus.map((gpu) => ({
    node: node.name,
    gpu: String(gpu.index),
    model: gpu.simulated && !/simulated/i.test(gpu.model) ? `${gpu.model} (simulated)` : gpu.model,
    state: gpu.state,
    allocated: formatShare(gpu.allocated),
    load: gpu.use?.load == null ? null : `${Math.round(gpu.use.load * 100)} %`,
    memory: formatMemory(gpu.use?.memory_used_mib ?? null, gpu.memory_mib),
    reason: gpu.reason ?? '',
  }))
  return [own, ...gpus]
}

function formatMemory(used: number | null, all: number): string {
  const gigabytes = (mib: number) => (mib / 1024).toFixed(1)
  return `${used === null ? '?' : gigabytes(used)}/${gigabytes(all)} GB`
}

function colourOfState({ state }: { state: string }): Colour | null {
  if (state === 'ready' || state === 'free') return 'green'
  return ['shared', 'full'].includes(state) ? 'cyan' : 'yellow'
}
