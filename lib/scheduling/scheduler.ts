import { Cluster } from './cluster'
import { Fragmentation } from './fragmentation'
import type { NodeBook } from './node-book'
import { Pass } from './pass'
import { type Place, Placer } from './placer'
import { Bin, type Flow, type Line, type Queue, type Shape } from './queues'
import { Openings } from './reservation'
import { compareTurns, gpuMilliOf, Turns, tierOf } from './turns'
import type {
  JobFacts,
  Placement,
  Preemption,
  ResourceRequest,
  RunningJob,
  Snapshot,
  WaitingJob,
} from './types'
import { countKinds } from './workload'

interface Running {
  job: JobFacts
  nodes: readonly NodeBook[]
  endsAt: number
}

/** What one pass decided. */
export interface Decision {
  placements: Placement[]
  preemptions: Preemption[]
}

/**
 * The scheduler's state from one decision to the next. After a change it looks only at what the change touches: shapes
 * that did not fit are tried again on nodes that got room since, so a queue of a hundred thousand jobs costs little
 * more than one of a thousand.
 *
 * Pure: equal calls give equal decisions.
 */
export class Scheduler {
  readonly turns: Turns
  readonly running = new Map<string, Running>()
  readonly waiting = new Map<string, { job: WaitingJob; queue: Queue | null }>()
  readonly #cluster: Cluster
  readonly #byId: ReadonlyMap<string, NodeBook>
  readonly #fragmentation: Fragmentation
  readonly #shapes = new Map<string, Shape>()
  readonly #bins = new Map<Flow, Map<Shape, Bin>>()
  /** Running jobs that give way when asked. */
  preemptible = 0
  /** Nodes that got room since the last pass. */
  readonly #roomier = new Set<NodeBook>()
  /** Jobs that back off. */
  readonly #resting = new Set<WaitingJob>()

  constructor(snapshot: Snapshot) {
    this.turns = new Turns(snapshot.policy, snapshot.projects, snapshot.now)
    this.#cluster = new Cluster(snapshot.nodes)
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]))
    const { workload, waiting } = snapshot
    const expected =
      workload.length > 0
        ? workload
        : countKinds([...waiting, ...snapshot.running].map(({ request }) => request))
    this.#fragmentation = new Fragmentation(expected)
    // In an order of their own: sums of uses depend on it in their last digits.
    const running = [...snapshot.running].sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const job of running) this.#adopt(job, snapshot.now)
    this.#fill(snapshot.waiting)
  }

  /** A job came. */
  submit(job: WaitingJob): void {
    const queue = this.#queueOf(job)
    this.waiting.set(job.id, { job, queue: null })
    if (job.notBefore !== null) {
      this.#resting.add(job)
      return
    }
    this.waiting.set(job.id, { job, queue })
    queue.insert({ job, key: this.turns.keyOf(job) })
  }

  /** A waiting job is not wanted any more. */
  withdraw(jobId: string): void {
    const found = this.waiting.get(jobId)
    if (!found) return
    this.waiting.delete(jobId)
    this.#resting.delete(found.job)
    found.queue?.withdraw(jobId)
  }

  /** A job gave back what it held. */
  finish(jobId: string): void {
    const running = this.running.get(jobId)
    if (!running) return
    this.running.delete(jobId)
    this.turns.project(running.job.projectId).heldMilli -= gpuMilliOf(running.job)
    if (isPreemptible(running.job)) this.preemptible -= 1
    for (const node of running.nodes) {
      node.release(jobId)
      this.#roomier.add(node)
    }
  }

  /** Places what can start at a time, and says who has to make room for the first that cannot. */
  decide(now: number): Decision {
    if (!this.turns.policy.running) return { placements: [], preemptions: [] }
    this.#wake(now)
    this.#reopen()
    const pass = new Pass(this, now)
    // Within a pass shapes and quotas only fill up.
    const lines = new Map<Flow, Line>()
    for (let queue = this.#next(lines); queue; queue = this.#next(lines)) {
      if (!pass.tryFirst(queue)) break
    }
    return { placements: pass.placements, preemptions: pass.preempt() }
  }

  /** The waiting jobs in the order of their turns, going by how things stand now. */
  inTurn(): WaitingJob[] {
    const jobs = [...this.waiting.values()].map(({ job }) => ({ job, turn: this.turns.turnOf(job) }))
    return jobs
      .sort((a, b) => compareTurns(a.turn, b.turn) || (a.job.id < b.job.id ? -1 : 1))
      .map(({ job }) => job)
  }

  /** Notes a placement as made. */
  start(job: WaitingJob, places: readonly Place[], now: number): Placement {
    const endsAt = now + job.expectedMs
    const preemptible = isPreemptible(job)
    for (const { node, task } of places) {
      node.seat(job.id, { task, endsAt, startedAt: now, preemptible, leaving: false })
    }
    this.waiting.delete(job.id)
    this.#hold(
      job,
      places.map(({ node }) => node),
      endsAt,
    )
    this.turns.charge(job, now, job.expectedMs)
    return {
      jobId: job.id,
      attempt: job.attempt + 1,
      tasks: places.map(({ task }, rank) => ({ rank, ...task })),
    }
  }

  get nodes(): readonly NodeBook[] {
    return this.#cluster.nodes
  }

  /** As many jobs run as may at once. */
  get isFull(): boolean {
    const { maxConcurrentJobs } = this.turns.policy
    return maxConcurrentJobs !== null && this.running.size >= maxConcurrentJobs
  }

  /** The queue whose first job is next among those that may have a place. */
  #next(lines: Map<Flow, Line>): Queue | null {
    return this.isFull ? null : this.turns.first(({ blocked }) => !blocked, lines)
  }

  /** The queue whose first job is next among those that wait for room, and will have it once others end. */
  firstBlocked(): Queue | null {
    return this.turns.first(({ blocked, hopeless }) => blocked && !hopeless)
  }

  /** Tries again what may fit by now: where a node got room, and where room was only kept for another. */
  #reopen(): void {
    for (const shape of this.#shapes.values()) {
      shape.longestMs = Number.POSITIVE_INFINITY
      if (!shape.blocked) continue
      for (const node of this.#roomier) {
        if (!shape.placer.fitsOn(node)) continue
        shape.blocked = false
        break
      }
    }
    this.#roomier.clear()
  }

  #wake(now: number): void {
    for (const job of this.#resting) {
      if ((job.notBefore ?? 0) > now) continue
      this.#resting.delete(job)
      const queue = this.#queueOf(job)
      queue.insert({ job, key: this.turns.keyOf(job) })
      this.waiting.set(job.id, { job, queue })
    }
  }

  #fill(jobs: readonly WaitingJob[]): void {
    const filled = new Map<Queue, { job: WaitingJob; key: number }[]>()
    for (const job of jobs) {
      if (job.notBefore !== null) {
        this.submit(job)
        continue
      }
      const queue = this.#queueOf(job)
      const entries = filled.get(queue) ?? []
      entries.push({ job, key: this.turns.keyOf(job) })
      filled.set(queue, entries)
      this.waiting.set(job.id, { job, queue })
    }
    for (const [queue, entries] of filled) queue.fill(entries)
  }

  #adopt(job: RunningJob, now: number): void {
    const endsAt = job.startedAt + job.expectedMs
    const preemptible = isPreemptible(job)
    const nodes = job.tasks.flatMap((task) => {
      const node = this.#byId.get(task.nodeId)
      node?.house(job.id, { task, endsAt, preemptible, leaving: job.leaving, startedAt: job.startedAt })
      return node ?? []
    })
    this.#hold(job, nodes, endsAt)
    this.turns.charge(job, now, Math.max(0, endsAt - now))
  }

  #hold(job: JobFacts, nodes: readonly NodeBook[], endsAt: number): void {
    this.running.set(job.id, { job, nodes, endsAt })
    if (isPreemptible(job)) this.preemptible += 1
    this.turns.project(job.projectId).heldMilli += gpuMilliOf(job)
  }

  #queueOf(job: WaitingJob): Queue {
    const flow = this.turns.flow(job)
    const shape = this.#shapeOf(job.request)
    const bins = this.#bins.get(flow) ?? new Map<Shape, Bin>()
    this.#bins.set(flow, bins)
    const known = bins.get(shape)
    if (known) return known.queueOf(job)
    const bin = new Bin(shape, flow, tierOf(job))
    bins.set(shape, bin)
    flow.bins.push(bin)
    return bin.queueOf(job)
  }

  #shapeOf(request: ResourceRequest): Shape {
    const asked = JSON.stringify(request)
    const shape = this.#shapes.get(asked) ?? {
      placer: new Placer(request, this.#cluster, this.#fragmentation),
      openings: new Openings(request, this.#cluster),
      blocked: false,
      hopeless: false,
      longestMs: Number.POSITIVE_INFINITY,
    }
    this.#shapes.set(asked, shape)
    return shape
  }
}

function isPreemptible({ request }: JobFacts): boolean {
  return request.pool === 'best-effort'
}
