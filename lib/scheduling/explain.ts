import { absentGpusOf, describeAbsent, describeClosed, describeShortage } from './describe-shortage'
import { fits, isEligible, isInPool } from './fits'
import { NodeKinds } from './node-kinds'
import { exceededQuota, gpuMilliOf } from './queue-order'
import type { GpuQuota } from './queues'
import type { Scheduler } from './scheduler'
import { judgeSize } from './size/judge-size'
import type { Fit, NodeState, ResourceRequest, WaitingJob } from './types'
import { requestKey } from './workload'

/** Causes that the end of another job may resolve. */
const sharedCauses = [
  'no_free_gpu',
  'gang_waiting',
  'reserved',
  'gpu_paused',
  'gpu_busy_outside',
  'node_unavailable',
  'quota',
  'max_concurrent_gpus',
  'token_max_gpus',
  'max_concurrent_jobs',
  'stopped',
] as const
/** Causes that no end of another job resolves. A job that waits for one of them blocks no other job. */
const ownCauses = ['backing_off', 'budget', 'never_fits', 'no_node', 'provisioning'] as const
export type WaitCause = (typeof sharedCauses | typeof ownCauses)[number]

export interface Waiting {
  jobId: string
  reason: WaitCause
  /** A sentence that says what is missing; null if the reason needs no detail. */
  detail: string | null
  /** Ids of the closed nodes or blocked GPUs that cause the wait, if any. */
  unavailable?: readonly string[]
}

/** Whether a job that waits for this reason blocks the jobs behind it. */
export function blocksOthers(reason: WaitCause): boolean {
  return (sharedCauses as readonly WaitCause[]).includes(reason)
}

/** Reasons that apply regardless of quota and policy. */
const clusterReasons: ReadonlySet<WaitCause> = new Set(['never_fits', 'no_node', 'provisioning'])

type Cause = Omit<Waiting, 'jobId'>

/**
 * Explains why jobs wait. Jobs with equal requests wait for the same reason, so each request class is examined once.
 */
export class Explainer {
  readonly #byRequest = new Map<string, Cause>()
  readonly #kinds: NodeKinds
  /** Nodes with at least one blocked GPU. Computed once because it reads every GPU. */
  readonly #withBlocks: ReadonlySet<NodeState>

  constructor(
    private readonly scheduler: Scheduler,
    private readonly now: number,
  ) {
    const { nodes } = scheduler
    this.#kinds = new NodeKinds(nodes)
    this.#withBlocks = new Set(nodes.filter(({ gpus }) => gpus.some(({ blocked }) => blocked !== null)))
  }

  explain(job: WaitingJob): Waiting {
    return { jobId: job.id, ...this.#cause(job) }
  }

  #cause(job: WaitingJob): Cause {
    const { queueOrder } = this.scheduler
    if (!queueOrder.policy.running) return { reason: 'stopped', detail: null }
    if (job.usedUp != null) return { reason: 'budget', detail: job.usedUp }
    if (job.notBefore !== null && job.notBefore > this.now) return { reason: 'backing_off', detail: null }
    const key = requestKey(job.request)
    const requestCause = this.#byRequest.get(key) ?? this.#explainRequest(job.request)
    this.#byRequest.set(key, requestCause)
    if (clusterReasons.has(requestCause.reason)) return requestCause
    const exceeded = exceededQuota(queueOrder.shareKey(job).group, job.request)
    if (exceeded) return { reason: exceeded.reason, detail: describeQuota(exceeded, job) }
    if (this.scheduler.isFull) return { reason: 'max_concurrent_jobs', detail: null }
    return requestCause
  }

  #explainRequest(request: ResourceRequest): Cause {
    const { nodes } = this.scheduler
    if (request.dedicatedTo && !hasDedicatedNodes(request, nodes))
      return { reason: 'provisioning', detail: null }
    if (nodes.every(({ blocked }) => blocked === 'lost')) return { reason: 'no_node', detail: null }
    const { instances } = request
    const { largeEnough, tooLarge } = judgeSize(request, nodes, this.#kinds)
    if (tooLarge !== null)
      return waitsForAbsentGpus(request, nodes) ?? { reason: 'never_fits', detail: cannotStart(tooLarge) }
    const open = largeEnough.filter(({ blocked }) => blocked === null)
    if (open.length < instances) {
      return {
        reason: 'node_unavailable',
        detail: `It waits for ${describeClosed(largeEnough)}`,
        unavailable: idsOf(largeEnough.filter(isClosedByAdmin)),
      }
    }
    const nodeFits = open.map((node) => ({
      node,
      fit: fits(request, node),
      hasBlocks: this.#withBlocks.has(node),
    }))
    const free = nodeFits.filter(({ fit }) => fit.ok).length
    if (free >= instances) return { reason: 'reserved', detail: null }
    const block = gpuBlock(request, nodeFits)
    if (block) return block
    const shortage: Cause =
      instances > 1
        ? {
            reason: 'gang_waiting',
            detail: `It needs ${instances} nodes at once; ${free} ${free === 1 ? 'is' : 'are'} free.`,
          }
        : { reason: 'no_free_gpu', detail: describeShortage(request, nodeFits) }
    return { ...shortage, ...capacityOnClosedNodes(request, largeEnough, shortage.detail, instances - free) }
  }
}

/** A request that would fit if the nodes found all their GPUs again waits for those GPUs. */
function waitsForAbsentGpus(request: ResourceRequest, nodes: readonly NodeState[]): Cause | null {
  if (nodes.every((node) => absentGpusOf(node).length === 0)) return null
  const complete = nodes.map((node) => {
    const present = node.gpus.filter(({ blocked }) => blocked !== 'missing')
    return { ...node, gpus: [...present, ...absentGpusOf(node).map((gpu) => ({ ...gpu, blocked: null }))] }
  })
  if (judgeSize(request, complete, new NodeKinds(complete)).tooLarge !== null) return null
  return { reason: 'gpu_busy_outside', detail: describeAbsent(request, nodes), unavailable: [] }
}

/** If closed nodes have enough capacity to start the job now, adds that to the explanation of the shortage. */
function capacityOnClosedNodes(
  request: ResourceRequest,
  largeEnough: readonly NodeState[],
  detail: string | null,
  missing: number,
): Partial<Cause> {
  const closed = largeEnough.filter(
    (node) => node.blocked !== null && fits(request, { ...node, blocked: null }).ok,
  )
  if (closed.length < missing) return {}
  const closedDetail = `Closed nodes have enough capacity: ${describeClosed(closed)}`
  return {
    detail: [detail, closedDetail].filter(Boolean).join(' '),
    unavailable: idsOf(closed.filter(isClosedByAdmin)),
  }
}

/** An open node that is large enough for one instance, and whether one fits there now. */
interface NodeFit {
  node: NodeState
  fit: Fit
  hasBlocks: boolean
}

/** Checks whether all nodes that were provisioned for this job are present. */
function hasDedicatedNodes(request: ResourceRequest, nodes: readonly NodeState[]): boolean {
  const own = nodes.filter((node) => node.blocked !== 'lost' && isInPool(request, node))
  return own.length >= request.instances
}

/**
 * Returns a cause only if the blocked GPUs alone prevent the start: either enough nodes would be free without
 * the blocks, or the blocks leave too few nodes even if all running jobs ended.
 */
function gpuBlock(request: ResourceRequest, nodeFits: readonly NodeFit[]): Cause | null {
  const nodes = nodeFits.filter(({ hasBlocks }) => hasBlocks).map(({ node }) => node)
  if (nodes.length === 0) return null
  const others = nodeFits.filter(({ hasBlocks }) => !hasBlocks)
  const countFitting = (of: readonly NodeState[]) => of.filter((node) => fits(request, node).ok).length
  // Nodes without blocked GPUs count as free once empty; they were checked for the current state above.
  const onceEmpty = others.length + countFitting(nodes.map(empty))
  const onceUnblocked = others.filter(({ fit }) => fit.ok).length + countFitting(nodes.map(unblocked))
  if (onceEmpty >= request.instances && onceUnblocked < request.instances) return null
  const blocks = nodes
    .flatMap(({ gpus }) => gpus)
    .filter(({ blocked }) => blocked === 'paused' || blocked === 'outside')
    .filter((gpu) => isEligible(request, gpu))
  const reason = blocks.some(({ blocked }) => blocked === 'paused') ? 'gpu_paused' : 'gpu_busy_outside'
  return { reason, detail: null, unavailable: idsOf(blocks) }
}

/** Checks whether an admin or the node's own failures closed it. False if only its worker is missing. */
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

/** A sentence about a wait that does not end by itself. */
function cannotStart(why: string): string {
  return `This job cannot start: ${why}.`
}

function describeQuota({ reason, milli, held, token }: GpuQuota, job: WaitingJob): string {
  const quota = milli / 1000
  const requested = gpuMilliOf(job) / 1000
  if (token !== undefined) {
    if (requested > quota)
      return cannotStart(`it asks for ${requested} GPUs, and the token "${token}" may use ${quota} at once`)
    const used = held.heldMilli / 1000
    return `The token "${token}" may use ${quota} GPUs at once. It uses ${used}, and the job asks for ${requested}.`
  }
  const [name, subject] = reason === 'quota' ? ['quota', 'It holds'] : ['limit', 'They hold']
  if (requested > quota) return cannotStart(`it asks for ${requested} GPUs, and the ${name} is ${quota}`)
  return `${subject} ${held.heldMilli / 1000} of ${quota} GPUs, and the job asks for ${requested}.`
}
