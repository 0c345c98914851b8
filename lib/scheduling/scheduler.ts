import { Fragmentation } from './fragmentation'
import { NodeBook } from './node-book'
import { Pass } from './pass'
import { type Place, Placer } from './placer'
import { gpuMilliOf, Queue, type Shape, Turns } from './turns'
import type { Demand, JobFacts, Placement, Preemption, RunningJob, Snapshot, WaitingJob } from './types'

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
  readonly nodes: readonly NodeBook[]
  readonly running = new Map<string, Running>()
  readonly waiting = new Map<string, { job: WaitingJob; queue: Queue | null }>()
  readonly #byId: ReadonlyMap<string, NodeBook>
  readonly #fragmentation: Fragmentation
  readonly #shapes = new Map<string, Shape>()
  readonly #queues = new Map<string, Queue>()
  /** Nodes that got room since the last pass. */
  readonly #roomier = new Set<NodeBook>()
  /** Jobs that back off. */
  readonly #resting = new Set<WaitingJob>()

  constructor(snapshot: Snapshot) {
    this.turns = new Turns(snapshot.policy, snapshot.projects, snapshot.now)
    this.nodes = snapshot.nodes.map((node, position) => new NodeBook(node, position))
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]))
    this.#fragmentation = new Fragmentation(workloadOf(snapshot))
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
    for (let queue = this.#next(); queue; queue = this.#next()) {
      if (!pass.tryFirst(queue)) break
    }
    return { placements: pass.placements, preemptions: pass.preempt() }
  }

  /** Notes a placement as made. */
  start(job: WaitingJob, places: readonly Place[], now: number): Placement {
    const endsAt = now + job.expectedMs
    const { pool } = job.request
    for (const { node, task } of places) {
      node.seat(job.id, { task, endsAt, startedAt: now, preemptible: pool === 'best-effort', leaving: false })
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

  /** As many jobs run as may at once. */
  get isFull(): boolean {
    const { maxConcurrentJobs } = this.turns.policy
    return maxConcurrentJobs !== null && this.running.size >= maxConcurrentJobs
  }

  /** The queue whose first job is next among those that may have a place. */
  #next(): Queue | null {
    if (this.isFull) return null
    let next: Queue | null = null
    for (const shape of this.#shapes.values()) {
      if (shape.blocked) continue
      for (const queue of shape.queues) {
        if (!queue.held && this.#mayStart(queue) && (!next || this.turns.compare(queue, next) < 0))
          next = queue
      }
    }
    return next
  }

  /** The queue whose first job is next among those that wait for room, and will have it once others end. */
  firstBlocked(): Queue | null {
    let first: Queue | null = null
    for (const shape of this.#shapes.values()) {
      if (!shape.blocked || shape.hopeless) continue
      for (const queue of shape.queues) {
        if (this.#mayStart(queue) && (!first || this.turns.compare(queue, first) < 0)) first = queue
      }
    }
    return first
  }

  #mayStart(queue: Queue): boolean {
    const { head, flow } = queue
    return head !== null && !this.turns.isOverQuota(flow, head.job)
  }

  /** Tries again what may fit by now: where a node got room, and where room was only kept for another. */
  #reopen(): void {
    for (const shape of this.#shapes.values()) {
      if (shape.heldBack) for (const queue of shape.queues) queue.held = false
      shape.heldBack = false
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
    const preemptible = job.request.pool === 'best-effort'
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
    this.turns.project(job.projectId).heldMilli += gpuMilliOf(job)
  }

  #queueOf(job: WaitingJob): Queue {
    const { request } = job
    const asked = JSON.stringify(request)
    const { key, flow } = this.turns.flow(job)
    const name = `${asked} ${key} ${lengthClass(job.expectedMs)}`
    const known = this.#queues.get(name)
    if (known) return known
    const shape = this.#shapes.get(asked) ?? {
      placer: new Placer(request, this.nodes, this.#fragmentation),
      blocked: false,
      heldBack: false,
      hopeless: false,
      queues: [],
    }
    const queue = new Queue(shape, flow, request.pool === 'best-effort' ? 1 : 0)
    shape.queues.push(queue)
    this.#shapes.set(asked, shape)
    this.#queues.set(name, queue)
    return queue
  }
}

/** Jobs about as long as each other: within a fifth. */
function lengthClass(milliseconds: number): number {
  return Math.round(4 * Math.log2(Math.max(1, milliseconds)))
}

function workloadOf({ workload, waiting, running }: Snapshot): readonly Demand[] {
  if (workload.length > 0) return workload
  const kinds = new Map<string, Demand>()
  for (const { request } of [...waiting, ...running]) {
    const key = JSON.stringify(request)
    kinds.set(key, { request, weight: (kinds.get(key)?.weight ?? 0) + 1 })
  }
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, demand]) => demand)
}
