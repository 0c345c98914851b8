import { Cluster } from './cluster'
import { Fragmentation } from './fragmentation'
import { Heap } from './heap'
import type { NodeBook } from './node-ledger'
import { Pass } from './pass'
import { type Place, Placer } from './placer'
import { gpuMilliOf, Turns } from './queue-heads'
import { byKey, type Claim, compareTurns, type Queue } from './queues'
import { Quotas } from './quotas'
import { Shape } from './request-class'
import { Openings } from './reservation'
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
    // In their order each is the last of its queue.
    const entries = waiting.map((job) => ({ job, key: this.turns.keyOf(job) })).sort(byKey)
    for (const { job } of entries) this.submit(job)
  }

  /** A job came. */
  submit(job: WaitingJob): void {
    if (job.notBefore === null) {
      this.#enqueue(job)
      return
    }
    this.waiting.set(job.id, { job, queue: null })
    this.#resting.add(job)
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
    const project = this.turns.project(running.job.projectId)
    project.heldMilli -= gpuMilliOf(running.job)
    project.holders.delete(jobId)
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
    const claims = this.#open()
    for (let queue = this.#next(claims, now); queue; queue = this.#next(claims, now)) {
      if (!pass.tryFirst(queue)) break
    }
    return { placements: pass.placements, preemptions: pass.preempt() }
  }

  /** The waiting jobs in the order of their turns, going by how things stand now. */
  inTurn(): WaitingJob[] {
    const jobs = [...this.waiting.values()].map(({ job }) => ({ job, ...this.turns.turnOf(job) }))
    return jobs.sort(compareTurns).map(({ job }) => job)
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

  /** The first queue of each shape that may have a place. */
  #open(): Heap<Claim> {
    const claims = new Heap<Claim>(compareTurns)
    for (const shape of this.#shapes.values()) {
      const claim = shape.blocked ? null : shape.first()
      if (claim) claims.push(claim)
    }
    return claims
  }

  /** The queue whose first job is next. Within a pass shapes and quotas only fill up: what was first gets later. */
  #next(claims: Heap<Claim>, now: number): Queue | null {
    if (this.isFull) return null
    const quotas = new Quotas(this.turns, now)
    for (let claim = claims.pop(); claim; claim = claims.pop()) {
      const { shape } = claim.queue.bin
      const first = shape.blocked ? null : shape.firstWithin(quotas)
      if (first) claims.push(first)
      if (first && compareTurns(first, claim) === 0) return first.queue
    }
    return null
  }

  /** The queue whose first job is next among those that wait for room, and will have it once others end. */
  firstBlocked(now: number): Queue | null {
    const quotas = new Quotas(this.turns, now)
    let first: Claim | null = null
    for (const shape of this.#shapes.values()) {
      const claim = shape.blocked && !shape.hopeless ? shape.firstWithin(quotas) : null
      if (claim && (!first || compareTurns(claim, first) < 0)) first = claim
    }
    return first?.queue ?? null
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
      this.#enqueue(job)
    }
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
    const project = this.turns.project(job.projectId)
    project.heldMilli += gpuMilliOf(job)
    project.holders.set(job.id, { milli: gpuMilliOf(job), endsAt })
  }

  #enqueue(job: WaitingJob): void {
    this.waiting.set(job.id, { job, queue: this.#shapeOf(job.request).add(job) })
  }

  #shapeOf(request: ResourceRequest): Shape {
    const asked = JSON.stringify(request)
    const known = this.#shapes.get(asked)
    if (known) return known
    const placer = new Placer(request, this.#cluster, this.#fragmentation)
    const shape = new Shape(placer, new Openings(request, this.#cluster), this.turns)
    this.#shapes.set(asked, shape)
    return shape
  }
}

function isPreemptible({ request }: JobFacts): boolean {
  return request.pool === 'best-effort'
}
