import { Candidates } from './candidates'
import { Cluster } from './cluster'
import { Promotion } from './fair-share/promotion'
import { Fragmentation } from './fragmentation'
import type { NodeLedger } from './node-ledger'
import { Pass } from './pass'
import { type NodePlacement, Placer } from './placer'
import { gpuMilliOf, QueueOrder } from './queue-order'
import { compareEntries, comparePositions, type Queue } from './queues'
import { RequestClass } from './request-class'
import { EarliestStarts } from './reservations/reservation'
import { maxReservationsOn, SetAside } from './reservations/set-aside'
import { expectedEnd } from './run-times/overdue'
import type {
  Decision,
  JobFacts,
  Placement,
  ResourceRequest,
  RunningJob,
  Snapshot,
  WaitingJob,
} from './types'
import { countKinds, requestKey } from './workload'

interface Running {
  job: JobFacts
  nodes: readonly NodeLedger[]
  endsAt: number
  startedAt: number
}

/**
 * The scheduler's state between decisions. After a change it examines only what the change affects: blocked request
 * classes are retried only on nodes that got free capacity. A queue of a hundred thousand jobs therefore costs
 * little more than one of a thousand. Pure: equal calls give equal decisions.
 */
export class Scheduler {
  readonly queueOrder: QueueOrder
  readonly running = new Map<string, Running>()
  readonly waiting = new Map<string, { job: WaitingJob; queue: Queue | null }>()
  readonly #cluster: Cluster
  readonly #fragmentation: Fragmentation
  readonly #requestClasses = new Map<string, RequestClass>()
  /** Running jobs that may be preempted. */
  preemptible = 0
  /** Nodes that got free capacity since the last pass. */
  readonly #freedNodes = new Set<NodeLedger>()
  /** Jobs in retry backoff. */
  readonly #backingOff = new Set<WaitingJob>()
  /** Null unless the policy is fair_share. */
  readonly #promotion: Promotion | null
  readonly setAside: SetAside
  readonly maxReservations: number

  constructor(snapshot: Snapshot) {
    this.queueOrder = new QueueOrder(snapshot.policy, snapshot.projects, snapshot.now, snapshot.tokenLimits)
    this.#cluster = new Cluster(snapshot.nodes)
    this.setAside = new SetAside(this.queueOrder)
    const { name, halfLifeMs } = snapshot.policy
    const gpus = snapshot.nodes.reduce((sum, node) => sum + node.gpus.length, 0)
    this.#promotion = name === 'fair_share' ? new Promotion(halfLifeMs, 1000 * gpus) : null
    this.maxReservations = maxReservationsOn(snapshot.nodes.length, name)
    const { workload, waiting } = snapshot
    const expected =
      workload.length > 0
        ? workload
        : countKinds([...waiting, ...snapshot.running].map(({ request }) => request))
    this.#fragmentation = new Fragmentation(expected)
    // Sorted by id, because the rounding of usage sums depends on the order.
    const running = [...snapshot.running].sort((a, b) => (a.id < b.id ? -1 : 1))
    const nodesById = new Map(this.nodes.map((node) => [node.id, node]))
    for (const job of running) this.#addRunning(job, nodesById, snapshot.now)
    // Sorted, so that each insertion appends to its queue.
    const entries = waiting.map((job) => ({ job, key: this.queueOrder.keyOf(job) })).sort(compareEntries)
    for (const { job } of entries) this.submit(job)
  }

  submit(job: WaitingJob): void {
    if (job.notBefore === null) {
      this.#enqueue(job)
      return
    }
    this.waiting.set(job.id, { job, queue: null })
    this.#backingOff.add(job)
  }

  /** Removes a waiting job, for example after cancellation. Ignores unknown ids. */
  withdraw(jobId: string): void {
    const found = this.waiting.get(jobId)
    if (!found) return
    this.waiting.delete(jobId)
    this.#backingOff.delete(found.job)
    found.queue?.withdraw(jobId)
  }

  /** Releases the resources of a running job. Ignores unknown ids. */
  finish(jobId: string): void {
    const running = this.running.get(jobId)
    if (!running) return
    this.running.delete(jobId)
    for (const held of this.queueOrder.heldWith(running.job)) {
      held.heldMilli -= gpuMilliOf(running.job)
      held.holders.delete(jobId)
    }
    if (isPreemptible(running.job)) this.preemptible -= 1
    this.#promotion?.count(running.job, running.startedAt, -1)
    for (const node of running.nodes) {
      node.release(jobId)
      this.#freedNodes.add(node)
    }
  }

  /**
   * Places every job that can start now, and selects the jobs to preempt for the first blocked job.
   * @param now milliseconds since the epoch.
   */
  decide(now: number): Decision {
    if (!this.queueOrder.policy.running) return { placements: [], preemptions: [] }
    this.#enqueueBackedOff(now)
    this.#unblock()
    this.#promotion?.update(now, this)
    const pass = new Pass(this, now)
    const candidates = new Candidates(this.queueOrder, now, pass)
    while (!this.isFull) {
      const queue = candidates.next()
      if (!queue || !pass.tryFirst(queue)) break
    }
    const preemptions = pass.preempt()
    for (const job of this.setAside.takeAll()) this.#enqueue(job)
    return { placements: pass.placements, preemptions }
  }

  /** Returns the waiting jobs in their current queue order. */
  inQueueOrder(): WaitingJob[] {
    const jobs = [...this.waiting.values()].map(({ job }) => ({ job, ...this.queueOrder.positionOf(job) }))
    return jobs.sort(comparePositions).map(({ job }) => job)
  }

  start(job: WaitingJob, placements: readonly NodePlacement[], now: number): Placement {
    this.waiting.delete(job.id)
    const run = { startedAt: now, terminating: false, endsAt: now + job.expectedMs }
    this.#recordRunning(job, placements, run, 'allocate')
    this.queueOrder.charge(job, now, job.expectedMs)
    return {
      jobId: job.id,
      attempt: job.attempt + 1,
      tasks: placements.map(({ task }, rank) => ({ rank, ...task })),
    }
  }

  get nodes(): readonly NodeLedger[] {
    return this.#cluster.nodes
  }

  get hasOpenClass(): boolean {
    for (const { blocked, jobs } of this.#requestClasses.values()) if (!blocked && jobs > 0) return true
    return false
  }

  /** Whether the policy's limit of concurrent jobs is reached. */
  get isFull(): boolean {
    const { maxConcurrentJobs } = this.queueOrder.policy
    return maxConcurrentJobs !== null && this.running.size >= maxConcurrentJobs
  }

  /**
   * Unblocks request classes that fit on a node with newly freed capacity, and resets the duration limits of
   * the last pass.
   */
  #unblock(): void {
    for (const requestClass of this.#requestClasses.values()) {
      requestClass.longestMs = Number.POSITIVE_INFINITY
      if (!requestClass.blocked) continue
      for (const node of this.#freedNodes) {
        if (!requestClass.placer.fitsOn(node)) continue
        requestClass.blocked = false
        break
      }
    }
    this.#freedNodes.clear()
  }

  /** Returns the next time at which a job may be promoted because of its wait; infinite if there is none. */
  nextPromotionAt(now: number): number {
    return this.#promotion?.nextAt(now) ?? Number.POSITIVE_INFINITY
  }

  /** Moves a waiting job to the queue to which it now belongs. */
  requeue(job: WaitingJob): void {
    this.waiting.get(job.id)?.queue?.withdraw(job.id)
    this.#enqueue(job)
  }

  #enqueueBackedOff(now: number): void {
    for (const job of this.#backingOff) {
      if ((job.notBefore ?? 0) > now) continue
      this.#backingOff.delete(job)
      this.#enqueue(job)
    }
  }

  #addRunning(job: RunningJob, nodesById: ReadonlyMap<string, NodeLedger>, now: number): void {
    const placements = job.tasks.flatMap((task) => {
      const node = nodesById.get(task.nodeId)
      return node ? [{ node, task }] : []
    })
    const endsAt = expectedEnd(job, now)
    this.#recordRunning(job, placements, { ...job, endsAt }, 'adopt')
    this.queueOrder.charge(job, now, endsAt - now)
  }

  /** @param record how a node records the job: `adopt` if the snapshot already counts its resources as used. */
  #recordRunning(
    job: JobFacts,
    placements: readonly NodePlacement[],
    { startedAt, terminating, endsAt }: Pick<RunningJob, 'startedAt' | 'terminating'> & { endsAt: number },
    record: 'adopt' | 'allocate',
  ): void {
    const preemptible = isPreemptible(job)
    for (const { node, task } of placements)
      node[record](job.id, { task, endsAt, startedAt, preemptible, terminating })
    this.running.set(job.id, { job, nodes: placements.map(({ node }) => node), endsAt, startedAt })
    if (preemptible) this.preemptible += 1
    this.#promotion?.count(job, startedAt, 1)
    for (const held of this.queueOrder.heldWith(job)) {
      held.heldMilli += gpuMilliOf(job)
      held.holders.set(job.id, { milli: gpuMilliOf(job), endsAt })
    }
  }

  #enqueue(job: WaitingJob): void {
    this.#promotion?.add(job, this.queueOrder.shareKey(job).group)
    this.waiting.set(job.id, { job, queue: this.#requestClassOf(job.request).add(job) })
  }

  #requestClassOf(request: ResourceRequest): RequestClass {
    const key = requestKey(request)
    const existing = this.#requestClasses.get(key)
    if (existing) return existing
    const placer = new Placer(request, this.#cluster, this.#fragmentation)
    const requestClass = new RequestClass(placer, new EarliestStarts(request, this.#cluster), this.queueOrder)
    this.#requestClasses.set(key, requestClass)
    return requestClass
  }
}

function isPreemptible({ request }: JobFacts): boolean {
  return request.pool === 'best-effort'
}
