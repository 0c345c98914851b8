import type { ClusterGpu, ClusterNode } from '@/lib/contract/cluster/cluster'
import { invalidRequest, notFound } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { type Context, writeText } from '../context'
import { findJobId } from '../job/job-id'

const pollIntervalMs = 1_000

interface Place {
  node: ClusterNode
  gpu: ClusterGpu | null
}

/**
 * Parses `NODE` or `NODE:GPU`. A node is given by name or number, a GPU by its number on the node. With a
 * single node, a number alone is a GPU. A lost GPU and its replacement may have the same number: `missing`
 * selects the lost one.
 */
export function findPlace(nodes: readonly ClusterNode[], given: string, missing = false): Place {
  const byName = nodes.find(({ name }) => name === given)
  if (byName) return { node: byName, gpu: null }
  const served = nodes.filter(({ state }) => state !== 'lost' && state !== 'drained')
  const [only] = served
  if (only && served.length === 1 && /^\d+$/.test(given))
    return { node: only, gpu: findGpu(only, given, missing) }
  const [, nodeName = given, index] = given.match(/^(.*):(\d+)$/) ?? []
  const node = nodes.find(({ name, node_id }) => name === nodeName || String(node_id) === nodeName)
  if (!node) {
    const names = nodes.map(({ name }) => name).join(', ')
    throw notFound(`Node ${nodeName} not found. Available nodes: ${names || 'none'}.`)
  }
  return { node, gpu: index === undefined ? null : findGpu(node, index, missing) }
}

function findGpu(node: ClusterNode, index: string, missing: boolean): ClusterGpu {
  const found = node.gpus.filter((one) => one.index === Number(index))
  const gpu = found.find(({ state }) => (state === 'missing') === missing) ?? found[0]
  if (gpu) return gpu
  const numbers = node.gpus.map((one) => one.index).join(', ')
  throw notFound(`${node.name} has no GPU ${index}. Available GPUs: ${numbers || 'none'}.`)
}

async function connectToPlace(context: Context, given: string, missing?: boolean) {
  const client = await context.connect()
  return { client, place: findPlace((await client.cluster.get()).nodes, given, missing) }
}

/** Stops placing jobs there. Running jobs continue. */
export async function pause(
  context: Context,
  given: string,
  { reason }: { reason?: string },
): Promise<number> {
  const { client, place } = await connectToPlace(context, given)
  await setPaused(client, place, true, reason)
  return writeText(context, `${formatPlace(place)} paused. Running jobs continue.\n`)
}

/** Resumes placing jobs there. Also ends a quarantine. */
export async function resume(context: Context, given: string): Promise<number> {
  const { client, place } = await connectToPlace(context, given)
  await setPaused(client, place, false)
  return writeText(context, `${formatPlace(place)} resumed. It accepts jobs again.\n`)
}

/** Pauses a node and waits until its last job has ended. */
export async function drain(
  context: Context,
  given: string,
  { wait, reason }: { wait: boolean; reason?: string },
): Promise<number> {
  const { client, place } = await connectToPlace(context, given)
  const { node, gpu } = place
  if (gpu) {
    const advice = `Use \`gpuq pause\` for the GPU, or drain the whole node: ${node.name}.`
    throw invalidRequest(`Only whole nodes can be drained. ${advice}`)
  }
  await setPaused(client, place, true, reason)
  while (wait && isBusy(await readNode(client, node))) await context.sleep(pollIntervalMs)
  return writeText(
    context,
    wait
      ? `${node.name} drained. It is paused and runs no jobs.\n`
      : `${node.name} paused. Running jobs continue.\n`,
  )
}

/** Removes a lost node or GPU from the list. The server refuses if it is connected or still holds a job. */
export async function forget(context: Context, given: string): Promise<number> {
  const { client, place } = await connectToPlace(context, given, true)
  if (place.gpu) await client.cluster.forgetGpu(place.gpu.gpu_id)
  else await client.cluster.forgetNode(place.node.node_id)
  return writeText(context, `${formatPlace(place)} removed. It is listed again if it reconnects.\n`)
}

/** Changes the priority of a waiting job. */
export async function priority(context: Context, given: string, number: number): Promise<number> {
  const client = await context.connect()
  const jobId = await findJobId(client, given)
  await client.queue.setPriority(jobId, { priority: number })
  return writeText(context, `${jobId} now has priority ${number}.\n`)
}

async function setPaused(
  client: Client,
  { node, gpu }: Place,
  paused: boolean,
  reason?: string,
): Promise<void> {
  if (gpu) await client.cluster.updateGpu(gpu.gpu_id, { paused, reason })
  else {
    const quarantined = !paused && node.state === 'quarantined' ? false : undefined
    await client.cluster.updateNode(node.node_id, { paused, reason, quarantined })
  }
}

async function readNode(client: Client, { node_id }: ClusterNode): Promise<ClusterNode | undefined> {
  return (await client.cluster.get()).nodes.find((node) => node.node_id === node_id)
}

/** A job without GPUs also holds CPU and memory. */
function isBusy(node: ClusterNode | undefined): boolean {
  if (!node) return false
  return (
    node.cpu_used_milli > 0 || node.memory_used_mib > 0 || node.gpus.some(({ allocated }) => allocated > 0)
  )
}

function formatPlace({ node, gpu }: Place): string {
  return gpu ? `GPU ${gpu.index} on ${node.name}` : node.name
}
