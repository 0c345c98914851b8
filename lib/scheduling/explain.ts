import { fits, isEligible, isOfPool } from './fits'
import { NodeKinds } from './node-kinds'
import { gpuMilliOf } from './queue-order'
import type { ProjectAccount } from './queues'
import type { Scheduler } from './scheduler'
import type { Fit, NodeState, ResourceRequest, Waiting, WaitingJob } from './types'

/** Reasons that hold whatever a project's quota and the policy say. */
const absent: ReadonlySet<Waiting['reason']> = new Set(['never_fits', 'no_node', 'provisioning'])

type Cause = Omit<Waiting, 'jobId'>

/** Why jobs that are left waiting wait. Jobs that ask for the same wait for the same, so each request class is looked at once. */
export class Explainer {
  readonly #ofShape = new Map<string, Cause>()
  readonly #cluster: View

  constructor(
    private readonly scheduler: Scheduler,
    private readonly now: number,
  ) {
    const { nodes } = scheduler
    this.#cluster = { nodes, kinds: new NodeKinds(nodes), withBlocks: new Set(nodes.filter(hasBlockedGpu)) }
  }

  explain(job: WaitingJob): Waiting {
    return { jobId: job.id, ...this.#cause(job) }
  }

  #cause(job: WaitingJob): Cause {
    const { queueOrder } = this.scheduler
    const shareKey = queueOrder.shareKey(job)
    if (!queueOrder.policy.running) return { reason: 'stopped', detail: null }
    if (job.notBefore !== null && job.notBefore > this.now) return { reason: 'backing_off', detail: null }
    if (shareKey.project.exhausted) return { reason: 'budget', detail: null }
    const key = JSON.stringify(job.request)
    const ofShape = this.#ofShape.get(key) ?? explainShape(job.request, this.#cluster)
    this.#ofShape.set(key, ofShape)
    if (absent.has(ofShape.reason)) return ofShape
    if (queueOrder.isOverQuota(shareKey.project, job.request))
      return { reason: 'quota', detail: describeQuota(shareKey.project, job) }
    if (this.scheduler.isFull) return { reason: 'max_concurrent_jobs', detail: null }
    return ofShape
  }
}

/** The nodes, and what is the same of them for every request class: each costs a look at every GPU there is. */
interface View {
  nodes: readonly NodeState[]
  kinds: NodeKinds
  /** Those with a GPU that may not be given out. */
  withBlocks: ReadonlySet<NodeState>
}

function hasBlockedGpu({ gpus }: NodeState): boolean {
  return gpus.some(({ blocked }) => blocked !== null)
}

function explainShape(request: ResourceRequest, { nodes, kinds, withBlocks }: View): Cause {
  if (request.dedicatedTo && !hasItsNodes(request, nodes)) return { reason: 'provisioning', detail: null }
  if (nodes.every(({ blocked }) => blocked === 'lost')) return { reason: 'no_node', detail: null }
  const { instances } = request
  const could = kinds.largeEnough(request)
  if (could.length < instances)
    return { reason: 'never_fits', detail: describeTooLarge(request, nodes, could.length) }
  const open = could.filter(({ blocked }) => blocked === null)
  if (open.length < instances) {
    return {
      reason: 'node_unavailable',
      detail: describeClosed(could),
      unavailable: idsOf(could.filter(isClosedByAdmin)),
    }
  }
  const looks = open.map((node) => ({ node, fit: fits(request, node), hasBlocks: withBlocks.has(node) }))
  const free = looks.filter(({ fit }) => fit.ok).length
  if (free >= instances) return { reason: 'reserved', detail: null }
  const block = gpuBlock(request, looks)
  if (block) return block
  const shortage: Cause =
    instances > 1
      ? {
          reason: 'gang_waiting',
          detail: `It needs ${instances} nodes at once; ${free} ${free === 1 ? 'is' : 'are'} free.`,
        }
      : { reason: 'no_free_gpu', detail: describeShortage(request, looks) }
  return { ...shortage, ...roomOnClosed(request, could, shortage.detail, instances - free) }
}

/** Adds to what is short that nodes which take no jobs would have room: as many as would let it start now. */
function roomOnClosed(
  request: ResourceRequest,
  could: readonly NodeState[],
  detail: string | null,
  missing: number,
): Partial<Cause> {
  const closed = could.filter((node) => node.blocked !== null && fits(request, { ...node, blocked: null }).ok)
  if (closed.length < missing) return {}
  const room = `Nodes that take no jobs would have room: ${describeClosed(closed)}`
  return {
    detail: [detail, room].filter(Boolean).join(' '),
    unavailable: idsOf(closed.filter(isClosedByAdmin)),
  }
}

/** An open node that is large enough for one instance, and whether one fits there now. */
interface Look {
  node: NodeState
  fit: Fit
  hasBlocks: boolean
}

/** Whether the nodes that are brought up for a job alone are there, all of them. */
function hasItsNodes(request: ResourceRequest, nodes: readonly NodeState[]): boolean {
  const own = nodes.filter((node) => node.blocked !== 'lost' && isOfPool(request, node))
  return own.length >= request.instances
}

/**
 * Only where the blocked GPUs alone stand in the way: without the blocks enough nodes would be free, or with them not even
 * if all that runs had ended.
 */
function gpuBlock(request: ResourceRequest, looks: readonly Look[]): Cause | null {
  const nodes = looks.filter(({ hasBlocks }) => hasBlocks).map(({ node }) => node)
  if (nodes.length === 0) return null
  const others = looks.filter(({ hasBlocks }) => !hasBlocks)
  const roomAmong = (of: readonly NodeState[]) => of.filter((node) => fits(request, node).ok).length
  // Of the others each could be free, and is now or is not, with and without the blocks.
  const onceEmpty = others.length + roomAmong(nodes.map(empty))
  const onceUnblocked = others.filter(({ fit }) => fit.ok).length + roomAmong(nodes.map(unblocked))
  if (onceEmpty >= request.instances && onceUnblocked < request.instances) return null
  const blocks = nodes
    .flatMap(({ gpus }) => gpus)
    .filter(({ blocked }) => blocked === 'paused' || blocked === 'outside')
    .filter((gpu) => isEligible(request, gpu))
  const reason = blocks.some(({ blocked }) => blocked === 'paused') ? 'gpu_paused' : 'gpu_busy_outside'
  return { reason, detail: null, unavailable: idsOf(blocks) }
}

/** Whether an admin or its own failures keep a node from taking jobs, and not that its worker is away. */
function isClosedByAdmin({ blocked }: NodeState): boolean {
  return blocked === 'paused' || blocked === 'quarantined'
}

function idsOf(things: readonly { id: string }[]): string[] {
  return things.map(({ id }) => id)
}

function unblocked(node: NodeState): NodeState {
  const gpus = node.gpus.map((gpu) => (gpu.blocked === 'missing' ? gpu : { ...gpu, blocked: null }))
  return { ...node, gpus }
}

function empty(node: NodeState): NodeState {
  const gpus = node.gpus.map((gpu) => ({ ...gpu, allocatedMilli: 0 }))
  return { ...node, usedCpuMilli: 0, usedMemoryMib: 0, gpus }
}

function describeQuota({ quotaMilli, heldMilli }: ProjectAccount, job: WaitingJob): string {
  const quota = (quotaMilli ?? 0) / 1000
  const asked = gpuMilliOf(job) / 1000
  if (asked > quota) return `It asks for ${asked} GPUs, and the quota is ${quota}.`
  return `It holds ${heldMilli / 1000} of ${quota} GPUs.`
}

/** @param could how many nodes are large enough. */
function describeTooLarge(request: ResourceRequest, nodes: readonly NodeState[], could: number): string {
  const { gpuCount, instances, pool } = request
  const asked = describeRequest(request)
  const ofPool = nodes.filter((node) => isOfPool(request, node))
  if (ofPool.length === 0) return `It asks for the pool ${pool}, which has no node.`
  if (could > 0) {
    return `It asks for ${asked}; of the ${count(ofPool.length, 'node')} of its pool ${could} ${could === 1 ? 'is' : 'are'} large enough.`
  }
  const gpus = Math.max(
    ...ofPool.map(
      (node) => node.gpus.filter((gpu) => gpu.blocked !== 'missing' && isEligible(request, gpu)).length,
    ),
  )
  if (gpuCount > 0 && gpus === 0) return `It asks for ${asked}; no node of its pool has one.`
  const memory = gib(Math.max(...ofPool.map((node) => node.memoryMib)))
  const cores = Math.floor(Math.max(...ofPool.map((node) => node.cpuMilli)) / 1000)
  const most = `${count(gpus, gpuCount === 0 ? 'GPU' : 'such GPU')}, ${count(cores, 'core')} and ${memory} GiB of memory`
  if (instances > ofPool.length) return `It asks for ${asked}; its pool has ${count(ofPool.length, 'node')}.`
  const largest =
    ofPool.length === 1
      ? 'the only node of its pool'
      : `the largest of the ${ofPool.length} nodes of its pool`
  return `It asks for ${asked}; ${largest} has ${most}.`
}

/** Such as "2 nodes with 8 GPUs with 40 GB", and CPU and memory where it asks for them. */
function describeRequest(request: ResourceRequest): string {
  const { gpuCount, gpuModel, gpuMemoryMib, allowedGpus, cpuMilli, memoryMib, instances } = request
  const gpus = [
    gpuCount === 0 ? 'no GPU' : count(gpuCount, 'GPU'),
    ...(gpuModel === null ? [] : [`of the model ${gpuModel}`]),
    ...(gpuMemoryMib === null ? [] : [`with ${gigabytes(gpuMemoryMib)} GB`]),
    ...(allowedGpus === null ? [] : [`numbered ${listed(allowedGpus)}`]),
  ].join(' ')
  const beside = [
    ...(cpuMilli === null ? [] : [count(cpuMilli / 1000, 'core')]),
    ...(memoryMib === null ? [] : [`${gib(memoryMib)} GiB of memory`]),
  ]
  return `${instances > 1 ? `${instances} nodes with ` : ''}${[gpus, ...beside].join(', ')}`
}

const mostListed = 8

function listed(numbers: readonly number[]): string {
  const rest = numbers.length > mostListed ? ', …' : ''
  return `${numbers.slice(0, mostListed).join(', ')}${rest}`
}

/** A node whose worker left in order counts as lost here: nobody knows of either whether it comes back. */
function describeClosed(nodes: readonly NodeState[]): string {
  const states = new Map<string, number>()
  for (const { blocked } of nodes) {
    if (blocked === null) continue
    const state = blocked === 'lost' ? 'without a worker' : blocked
    states.set(state, (states.get(state) ?? 0) + 1)
  }
  return `${[...states].map(([state, many]) => `${count(many, 'node')} ${state}`).join(', ')}.`
}

/** Without numbers that change whenever a job ends: each change is told to every job that waits for it. */
function describeShortage(request: ResourceRequest, looks: readonly Look[]): string {
  const { gpuCount, gpuMilli } = request
  const dimensions = new Set(looks.flatMap(({ fit }) => (fit.ok ? [] : [fit.dimension])))
  const short = dimensions.has('cpu') ? 'CPU' : dimensions.has('memory') ? 'memory' : null
  if (short && gpuCount === 0) return `Not enough ${short} is free.`
  if (short && gpuCount === 1) return `A GPU is free, but not enough ${short} beside it.`
  if (short) return `GPUs are free, but not enough ${short} beside them.`
  if (gpuMilli < 1000) return `No GPU that fits has ${gpuMilli / 1000} of it free.`
  if (gpuCount > 1) return `It needs ${gpuCount} GPUs on one node, and none has as many free.`
  return 'Every GPU that fits is in use.'
}

/** As GPUs' memory is asked for. */
function gigabytes(mib: number): number {
  return Math.floor((mib * 2 ** 20) / 1e8) / 10
}

function gib(mib: number): number {
  return Math.floor(mib / 1024)
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`
}
