import { couldFit, fits } from './fits'
import type {
  NodeState,
  Placement,
  Plan,
  ResourceRequest,
  Snapshot,
  TaskPlacement,
  Waiting,
  WaitingJob,
} from './types'

/**
 * Places the waiting jobs in order: higher priority first, then first come first served. A job that cannot start
 * does not hold back a later one that fits elsewhere, and is given its reason.
 *
 * Pure: equal snapshot and time give an equal plan.
 */
export function plan(snapshot: Snapshot, now: number): Plan {
  const nodes = new Map(snapshot.nodes.map((node) => [node.id, node]))
  const placements: Placement[] = []
  const waiting: Waiting[] = []
  for (const job of [...snapshot.waiting].sort(byTurn)) {
    const backingOff = job.notBefore !== null && job.notBefore > now
    const task = backingOff ? null : choose(job.request, [...nodes.values()])
    if (!task) {
      waiting.push(
        backingOff ? { jobId: job.id, reason: 'backing_off', detail: null } : explain(job, snapshot.nodes),
      )
      continue
    }
    const node = nodes.get(task.nodeId)
    if (node) nodes.set(node.id, withTask(node, task))
    placements.push({ jobId: job.id, attempt: job.attempt + 1, tasks: [{ rank: 0, ...task }] })
  }
  return { placements, waiting }
}

/** The queue's order. */
export function byTurn(a: WaitingJob, b: WaitingJob): number {
  return b.priority - a.priority || a.submittedAt - b.submittedAt || (a.id < b.id ? -1 : 1)
}

/** The node on which the request leaves the fewest free GPU thousandths: full nodes fill up, empty ones stay whole. */
function choose(request: ResourceRequest, nodes: readonly NodeState[]): Omit<TaskPlacement, 'rank'> | null {
  let best: { task: Omit<TaskPlacement, 'rank'>; free: number } | null = null
  for (const node of nodes) {
    const fit = fits(request, node)
    if (!fit.ok) continue
    const free = node.gpus.reduce((sum, gpu) => sum + 1000 - gpu.allocatedMilli, 0)
    if (!best || free < best.free) best = { task: fit.task, free }
  }
  return best?.task ?? null
}

/** The node as it stands once the task is on it. */
export function withTask(node: NodeState, task: Omit<TaskPlacement, 'rank'>): NodeState {
  const given = new Map(task.gpus.map(({ id, milli }) => [id, milli]))
  return {
    ...node,
    usedCpuMilli: node.usedCpuMilli + task.cpuMilli,
    usedMemoryMib: node.usedMemoryMib + task.memoryMib,
    gpus: node.gpus.map((gpu) => ({ ...gpu, allocatedMilli: gpu.allocatedMilli + (given.get(gpu.id) ?? 0) })),
  }
}

function explain(job: WaitingJob, nodes: readonly NodeState[]): Waiting {
  const ready = nodes.filter((node) => node.ready)
  if (ready.length === 0) return { jobId: job.id, reason: 'no_node', detail: null }
  if (!ready.some((node) => couldFit(job.request, node))) {
    return { jobId: job.id, reason: 'never_fits', detail: describeLargest(job.request, ready) }
  }
  return { jobId: job.id, reason: 'no_free_gpu', detail: describeShortage(job.request, ready) }
}

function describeLargest(request: ResourceRequest, nodes: readonly NodeState[]): string {
  const gpus = Math.max(...nodes.map((node) => node.gpus.filter((gpu) => gpu.usable).length))
  const memory = Math.floor(Math.max(...nodes.map((node) => node.memoryMib)) / 1024)
  const cores = Math.floor(Math.max(...nodes.map((node) => node.cpuMilli)) / 1000)
  const asked = `${request.gpuCount} GPU${request.gpuCount === 1 ? '' : 's'}`
  return `It asks for ${asked}; the largest ready node has ${gpus} GPUs, ${cores} cores and ${memory} GiB of memory.`
}

function describeShortage(request: ResourceRequest, nodes: readonly NodeState[]): string | null {
  const dimensions = new Set(
    nodes.map((node) => fits(request, node)).flatMap((fit) => (fit.ok ? [] : [fit.dimension])),
  )
  if (dimensions.has('gpu')) return null
  return dimensions.has('memory')
    ? 'A GPU is free, but not enough memory beside it.'
    : 'A GPU is free, but not enough CPU beside it.'
}
