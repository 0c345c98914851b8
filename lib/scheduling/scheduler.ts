import { Cluster } from './cluster'
import { Fragmentation } from './fragmentation'
import { Heap } from './heap'
import type { NodeLedger } from './node-ledger'
import { Pass } from './pass'
import { type Place, Placer } from './placer'
import { gpuMilliOf, QueueOrder } from './queue-order'
import { byKey, type Candidate, comparePositions, type Queue } from './queues'
import { Quotas } from './quotas'
import { RequestClass } from './request-class'
import { EarliestStarts } from './reservation'
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
  nodes: readonly NodeLedger[]
  endsAt: number
}

/** What one pass decided. */
interface Decision {
  placements: Placement[]
  preemptions: Preemption[]
}

/**
 * The scheduler's state from one decision to the next. After a change it looks only at what the change touches: request classes
 * that did not fit are tried again on nodes that got room since, so a queue of a hundred thousand jobs costs little
 * more than one of a thousand.
 *
 * Pure: equal calls give equal decisions.
 */
export class Scheduler {
  readonly queueOrder: QueueOrder
  readonly running = new Map<string, Running>()
  readonly waiting = new Map<string, { job: WaitingJob; queue: Queue | null }>()
  readonly #cluster: Cluster
  readonly #byId: ReadonlyMap<string, NodeLedger>
  readonly #fragmentation: Fragmentation
  readonly #requestClasses = new Map<string, RequestClass>()
  /** Running jobs that give way when asked. */
  preemptible = 0
  /** Nodes that got room since the last pass. */
  readonly #roomier = new Set<NodeLedger>()
  /** Jobs that back off. */
  readonly #resting = new Set<WaitingJob>()

  constructor(snapshot: Snapshot) {
    this.queueOrder = new QueueOrder(snapshot.policy, snapshot.projects, snapshot.now)
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
    const entries = waiting.map((job) => ({ job, key: this.queueOrder.keyOf(job) })).sort(byKey)
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
    const project = this.queueOrder.project(running.job.projectId)
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
    if (!this.queueOrder.policy.running) return { placements: [], preemptions: [] }
    this.#wake(now)
    this.#reopen()
    const pass = new Pass(this, now)
    const candidates = this.#open()
    for (let queue = this.#next(candidates, now); queue; queue = this.#next(candidates, now)) {
      if (!pass.tryFirst(queue)) break
    }
    return { placements: pass.placements, preemptions: pass.preempt() }
  }

  /** The waiting jobs in the order of their turns, going by how things stand now. */
  inTurn(): WaitingJob[] {
    const jobs = [...this.waiting.values()].map(({ job }) => ({ job, ...this.queueOrder.positionOf(job) }))
    return jobs.sort(comparePositions).map(({ job }) => job)
  }

  /** Notes a placement as made. */
  start(job: WaitingJob, places: readonly Place[], now: number): Placement {
    const endsAt = now + job.expectedMs
    const preemptible = isPreemptible(job)
    for (const { node, task } of places) {
      node.allocate(job.id, { task, endsAt, startedAt: now, preemptible, leaving: false })
    }
    this.waiting.delete(job.id)
    this.#hold(
      job,
      places.map(({ node }) => node),
      endsAt,
    )
    this.queueOrder.charge(job, now, job.expectedMs)
    return {
      jobId: job.id,
      attempt: job.attempt + 1,
      tasks: places.map(({ task }, rank) => ({ rank, ...task })),
    }
  }

  get nodes(): readonly NodeLedger[] {
    return this.#cluster.nodes
  }

  /** As many jobs run as may at once. */
  get isFull(): boolean {
    const { maxConcurrentJobs } = this.queueOrder.policy
    return maxConcurrentJobs !== null && this.running.size >= maxConcurrentJobs
  }

  /** The first queue of each request class that may have a place. */
  #open(): Heap<Candidate> {
    const candidates = new Heap<Candidate>(comparePositions)
    for (const requestClass of this.#requestClasses.values()) {
      const candidate = requestClass.blocked ? null : requestClass.first()
      if (candidate) candidates.push(candidate)
    }
    return candidates
  }

  /** The queue whose first job is next. Within a pass request classes and quotas only fill up: what was first gets later. */
  #next(candidates: Heap<Candidate>, now: number): Queue | null {
    if (this.isFull) return null
    const quotas = new Quotas(this.queueOrder, now)
    for (let candidate = candidates.pop(); candidate; candidate = candidates.pop()) {
      const { requestClass } = candidate.queue.bucket
      const first = requestClass.blocked ? null : requestClass.firstWithin(quotas)
      if (first) candidates.push(first)
      if (first && comparePositions(first, candidate) === 0) return first.queue
    }
    return null
  }

  /** The queue whose first job is next among those that wait for room, and will have it once others end. */
  firstBlocked(now: number): Queue | null {
    const quotas = new Quotas(this.queueOrder, now)
    let first: Candidate | null = null
    for (const requestClass of this.#requestClasses.values()) {
      const candidate =
        requestClass.blocked && !requestClass.unschedulable ? requestClass.firstWithin(quotas) : null
      if (candidate && (!first || comparePositions(candidate, first) < 0)) first = candidate
    }
    return first?.queue ?? null
  }

  /** Tries again what may fit by now: where a node got room, and where room was only kept for another. */
  #reopen(): void {
    for (const requestClass of this.#requestClasses.values()) {
      requestClass.longestMs = Number.POSITIVE_INFINITY
      if (!requestClass.blocked) continue
      for (const node of this.#roomier) {
        if (!requestClass.placer.fitsOn(node)) continue
        requestClass.blocked = false
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
    this.queueOrder.charge(job, now, Math.max(0, endsAt - now))
  }

  #hold(job: JobFacts, nodes: readonly NodeLedger[], endsAt: number): void {
    this.running.set(job.id, { job, nodes, endsAt })
    if (isPreemptible(job)) this.preemptible += 1
    const project = this.queueOrder.project(job.projectId)
    project.heldMilli += gpuMilliOf(job)
    project.holders.set(job.id, { milli: gpuMilliOf(job), endsAt })
  }

  #enqueue(job: WaitingJob): void {
    this.waiting.set(job.id, { job, queue: this.#requestClassOf(job.request).add(job) })
  }

  #requestClassOf(request: ResourceRequest): RequestClass {
    const asked = JSON.stringify(request)
    const known = this.#requestClasses.get(asked)
    if (known) return known
    const placer = new Placer(request, this.#cluster, this.#fragmentation)
    const requestClass = new RequestClass(placer, new EarliestStarts(request, this.#cluster), this.queueOrder)
    this.#requestClasses.set(asked, requestClass)
    return requestClass
  }
}

function isPreemptible({ request }: JobFacts): boolean {
  return request.pool === 'best-effort'
}
