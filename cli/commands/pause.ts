import type { ClusterGpu, ClusterNode } from '@/lib/contract/cluster'
import { GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import type { Context } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJobId } from '../job/job-id'

const lookEveryMs = 1_000

interface Place {
  node: ClusterNode
  gpu: ClusterGpu | null
}

/**
 * `NODE` or `NODE:GPU`; a node by its name or its number, a GPU by its number there. Where one node is all there is, a
 * number alone is a GPU of it. A card and the one that came in its place may have the same number: `missing` says which
 * of them is meant.
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
    throw new GpuqError('not_found', `There is no node ${nodeName}. The nodes are: ${names || 'none'}.`)
  }
  return { node, gpu: index === undefined ? null : findGpu(node, index, missing) }
}

function findGpu(node: ClusterNode, index: string, missing: boolean): ClusterGpu {
  const found = node.gpus.filter((one) => one.index === Number(index))
  const gpu = found.find(({ state }) => (state === 'missing') === missing) ?? found[0]
  if (gpu) return gpu
  const numbers = node.gpus.map((one) => one.index).join(', ')
  throw new GpuqError('not_found', `${node.name} has no GPU ${index}. Its GPUs are: ${numbers || 'none'}.`)
}

/** Gives out nothing more there; what runs goes on. */
export async function pause(
  context: Context,
  given: string,
  { reason }: { reason?: string },
): Promise<number> {
  const client = await context.connect()
  const place = findPlace((await client.cluster.get()).nodes, given)
  await setPaused(client, place, true, reason)
  await context.terminal.out(`${formatPlace(place)} is paused. What runs there goes on.\n`)
  return exitCodes.ok
}

/** Takes it back, from a quarantine too. */
export async function resume(context: Context, given: string): Promise<number> {
  const client = await context.connect()
  const place = findPlace((await client.cluster.get()).nodes, given)
  await setPaused(client, place, false)
  await context.terminal.out(`${formatPlace(place)} takes jobs again.\n`)
  return exitCodes.ok
}

/** Pauses a node, and waits until the last of its jobs has ended. */
export async function drain(
  context: Context,
  given: string,
  { wait, reason }: { wait: boolean; reason?: string },
): Promise<number> {
  const client = await context.connect()
  const { node, gpu } = findPlace((await client.cluster.get()).nodes, given)
  if (gpu) {
    const advice = `Pause the GPU instead, or name the node: ${node.name}.`
    throw new GpuqError('invalid_request', `A node is drained, not one GPU. ${advice}`)
  }
  await setPaused(client, { node, gpu }, true, reason)
  while (wait && isBusy(await readNode(client, node))) await context.sleep(lookEveryMs)
  await context.terminal.out(
    wait ? `${node.name} is empty and paused.\n` : `${node.name} takes no more jobs.\n`,
  )
  return exitCodes.ok
}

/** Takes what will not come back off the list. What is there, or still holds a job, the server refuses. */
export async function forget(context: Context, given: string): Promise<number> {
  const client = await context.connect()
  const place = findPlace((await client.cluster.get()).nodes, given, true)
  if (place.gpu) await client.cluster.forgetGpu(place.gpu.gpu_id)
  else await client.cluster.forgetNode(place.node.node_id)
  await context.terminal.out(`${formatPlace(place)} is forgotten. Should it come back, it is listed again.\n`)
  return exitCodes.ok
}

/** Moves a waiting job forward or back. */
export async function priority(context: Context, given: string, number: number): Promise<number> {
  const client = await context.connect()
  const id = await findJobId(client, given)
  await client.queue.setPriority(id, { priority: number })
  await context.terminal.out(`${id} has priority ${number}.\n`)
  return exitCodes.ok
}

async function setPaused(
  client: Client,
  { node, gpu }: Place,
  paused: boolean,
  reason?: string,
): Promise<void> {
  const why = reason === undefined ? {} : { reason }
  if (gpu) {
    await client.cluster.updateGpu(gpu.gpu_id, { paused, ...why })
    return
  }
  const opened = !paused && node.state === 'quarantined' ? { quarantined: false as const } : {}
  await client.cluster.updateNode(node.node_id, { paused, ...why, ...opened })
}

async function readNode(client: Client, { node_id }: ClusterNode): Promise<ClusterNode | undefined> {
  return (await client.cluster.get()).nodes.find((node) => node.node_id === node_id)
}

/** A job without GPUs holds CPU and memory too. */
function isBusy(node: ClusterNode | undefined): boolean {
  if (!node) return false
  return (
    node.cpu_used_milli > 0 || node.memory_used_mib > 0 || node.gpus.some(({ allocated }) => allocated > 0)
  )
}

function formatPlace({ node, gpu }: Place): string {
  return gpu ? `GPU ${gpu.index} of ${node.name}` : node.name
}
