import { couldFit, fits, isEligible, isOfPool } from './fits'
import type { Scheduler } from './scheduler'
import type { GpuBlock, NodeState, ResourceRequest, Waiting, WaitingJob } from './types'

/** Reasons that hold whatever a project's quota and the policy say. */
const absent: ReadonlySet<Waiting['reason']> = new Set(['never_fits', 'no_node', 'provisioning'])

type Cause = Omit<Waiting, 'jobId'>

/** Why jobs that are left waiting wait. Jobs that ask for the same wait for the same, so each shape is looked at once. */
export class Explainer {
  readonly #ofShape = new Map<string, Cause>()

  constructor(
    private readonly scheduler: Scheduler,
    private readonly now: number,
  ) {}

  explain(job: WaitingJob): Waiting {
    return { jobId: job.id, ...this.#cause(job) }
  }

  #cause(job: WaitingJob): Cause {
    const { turns } = this.scheduler
    const flow = turns.flow(job)
    if (!turns.policy.running) return { reason: 'stopped', detail: null }
    if (job.notBefore !== null && job.notBefore > this.now) return { reason: 'backing_off', detail: null }
    if (flow.project.exhausted) return { reason: 'budget', detail: null }
    const key = JSON.stringify(job.request)
    const ofShape = this.#ofShape.get(key) ?? explainShape(job.request, this.scheduler.nodes)
    this.#ofShape.set(key, ofShape)
    if (absent.has(ofShape.reason)) return ofShape
    if (turns.isOverQuota(flow, job)) {
      const { quotaMilli, heldMilli } = flow.project
      return { reason: 'quota', detail: `It holds ${heldMilli / 1000} of ${(quotaMilli ?? 0) / 1000} GPUs.` }
    }
    if (this.scheduler.isFull) return { reason: 'max_concurrent_jobs', detail: null }
    return ofShape
  }
}

function explainShape(request: ResourceRequest, nodes: readonly NodeState[]): Cause {
  if (request.dedicatedTo && !hasItsNodes(request, nodes)) return { reason: 'provisioning', detail: null }
  if (nodes.every(({ blocked }) => blocked === 'lost')) return { reason: 'no_node', detail: null }
  const { instances } = request
  const could = nodes.filter((node) => couldFit(request, node))
  if (could.length < instances) return { reason: 'never_fits', detail: describeLargest(request, nodes) }
  const open = could.filter(({ blocked }) => blocked === null)
  if (open.length < instances) return { reason: 'node_unavailable', detail: describeClosed(could) }
  const free = open.filter((node) => fits(request, node).ok)
  if (free.length >= instances) return { reason: 'reserved', detail: null }
  const block = gpuBlock(request, open)
  if (block) return block
  if (instances > 1) {
    const detail = `It needs ${instances} nodes at once; ${free.length} ${free.length === 1 ? 'is' : 'are'} free.`
    return { reason: 'gang_waiting', detail }
  }
  return { reason: 'no_free_gpu', detail: describeShortage(request, open) }
}

/** Whether the nodes that are brought up for a job alone are there, all of them. */
function hasItsNodes(request: ResourceRequest, nodes: readonly NodeState[]): boolean {
  const own = nodes.filter((node) => node.blocked !== 'lost' && isOfPool(request, node))
  return own.length >= request.instances
}

/** Only where the blocked GPUs alone stand in the way: without the blocks, enough nodes would be free. */
function gpuBlock(request: ResourceRequest, nodes: readonly NodeState[]): Cause | null {
  const unblocked = nodes.map((node) => ({
    ...node,
    gpus: node.gpus.map((gpu) => (gpu.blocked === 'missing' ? gpu : { ...gpu, blocked: null })),
  }))
  if (unblocked.filter((node) => fits(request, node).ok).length < request.instances) return null
  const blocks = nodes
    .flatMap(({ gpus }) => gpus)
    .filter((gpu) => gpu.blocked !== null && isEligible(request, gpu))
  const is = (block: GpuBlock) => blocks.some(({ blocked }) => blocked === block)
  return { reason: is('paused') ? 'gpu_paused' : 'gpu_busy_outside', detail: null }
}

function describeLargest(request: ResourceRequest, nodes: readonly NodeState[]): string {
  const { gpuCount, gpuModel, gpuMemoryMib, instances, pool } = request
  const asked = [
    `${instances > 1 ? `${instances} nodes with ` : ''}${count(gpuCount, 'GPU')}`,
    ...(gpuModel === null ? [] : [`of the model ${gpuModel}`]),
    ...(gpuMemoryMib === null ? [] : [`with ${gib(gpuMemoryMib)} GiB`]),
  ].join(' ')
  const ofPool = nodes.filter((node) => isOfPool(request, node))
  if (ofPool.length === 0) return `It asks for the pool ${pool}, which has no node.`
  const gpus = Math.max(...ofPool.map((node) => node.gpus.filter((gpu) => isEligible(request, gpu)).length))
  const memory = gib(Math.max(...ofPool.map((node) => node.memoryMib)))
  const cores = Math.floor(Math.max(...ofPool.map((node) => node.cpuMilli)) / 1000)
  if (gpuModel !== null && gpus === 0) return `It asks for ${asked}; no node of its pool has one.`
  const most = `${count(gpus, 'such GPU')}, ${count(cores, 'core')} and ${memory} GiB of memory`
  const largest =
    ofPool.length === 1
      ? 'the only node of its pool'
      : `the largest of the ${ofPool.length} nodes of its pool`
  return `It asks for ${asked}; ${largest} has ${most}.`
}

function describeClosed(nodes: readonly NodeState[]): string {
  const states = new Map<string, number>()
  for (const { blocked } of nodes) if (blocked) states.set(blocked, (states.get(blocked) ?? 0) + 1)
  return `${[...states].map(([state, many]) => `${count(many, 'node')} ${state}`).join(', ')}.`
}

function describeShortage(request: ResourceRequest, nodes: readonly NodeState[]): string | null {
  const dimensions = new Set(nodes.flatMap((node) => refusal(request, node)))
  if (dimensions.has('memory') && !dimensions.has('cpu'))
    return 'A GPU is free, but not enough memory beside it.'
  if (dimensions.has('cpu')) return 'A GPU is free, but not enough CPU beside it.'
  return null
}

function refusal(request: ResourceRequest, node: NodeState): string[] {
  const fit = fits(request, node)
  return fit.ok ? [] : [fit.dimension]
}

function gib(mib: number): number {
  return Math.floor(mib / 1024)
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`
}
