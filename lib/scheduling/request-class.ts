import { Heap } from './heap'
import type { Placer } from './placer'
import { gpuMilliOf, type QueueOrder } from './queue-order'
import {
  type Candidate,
  compareHeads,
  comparePositions,
  Queue,
  type QueueHead,
  type QuotaGroup,
  type QuotaReader,
  type RequestClassState,
  type ShareKey,
} from './queues'
import type { EarliestStarts } from './reservation'
import type { WaitingJob } from './types'

export class RequestClass implements RequestClassState {
  blocked = false
  unschedulable = false
  longestMs = Number.POSITIVE_INFINITY
  readonly #queues = new Map<QuotaGroup, ProjectQueue>()
  /** Sorted by project usage, least first, as of `#charges`. */
  #byUsage: ProjectQueue[] = []
  #charges = 0

  constructor(
    readonly placer: Placer,
    readonly earliestStarts: EarliestStarts,
    private readonly queueOrder: QueueOrder,
  ) {}

  add(job: WaitingJob): Queue {
    const shareKey = this.queueOrder.shareKey(job)
    return this.#queueOf(shareKey.group).add(job, shareKey)
  }

  /** Returns the first job in order that is neither too long nor over a quota. */
  first(): Candidate | null {
    return this.#firstOf((_queue, head) => head)
  }

  firstWithin(quotas: QuotaReader): Candidate | null {
    return this.#firstOf((queue, head) => {
      let { longestMs } = this
      for (const { held } of queue.group.quotas) {
        const reservation = quotas.reservationOf(held)
        if (!reservation || gpuMilliOf(this.placer) <= reservation.spareMilli) continue
        if (comparePositions(this.queueOrder.candidateOf(head), reservation.candidate) <= 0) continue
        longestMs = Math.min(longestMs, reservation.longestMs)
      }
      return longestMs < this.longestMs ? queue.first(longestMs) : head
    })
  }

  /**
   * Returns the first in order of the queues' heads.
   * @param limit returns the same head or a later one of the queue. Called only for heads that may be the first.
   */
  #firstOf(limit: (queue: ProjectQueue, head: QueueHead) => QueueHead | null): Candidate | null {
    this.#sort()
    let first: Candidate | null = null
    const goesFirst = (candidate: Candidate) => !first || comparePositions(candidate, first) < 0
    for (const queue of this.#byUsage) {
      if (first && this.queueOrder.usageOf(queue.group) > first.projectUsage) break
      const head = queue.first(this.longestMs)
      if (!head || !goesFirst(this.queueOrder.candidateOf(head))) continue
      const limited = limit(queue, head)
      const candidate = limited && this.queueOrder.candidateOf(limited)
      if (candidate && goesFirst(candidate)) first = candidate
    }
    return first
  }

  #queueOf(group: QuotaGroup): ProjectQueue {
    const known = this.#queues.get(group)
    if (known) return known
    const queue = new ProjectQueue(this, group, this.queueOrder)
    this.#queues.set(group, queue)
    for (const { held } of group.quotas) held.queues.push(queue)
    this.#byUsage.push(queue)
    this.#charges = -1
    return queue
  }

  #sort(): void {
    const { queueOrder } = this
    if (this.#charges === queueOrder.charges) return
    this.#byUsage.sort((a, b) => queueOrder.usageOf(a.group) - queueOrder.usageOf(b.group))
    this.#charges = queueOrder.charges
  }
}

/**
 * The waiting jobs of one request class and one quota group: of one project, or of one user with a limit. If the project
 * does not affect the order, the waiting jobs of one request class and all projects and users without quotas.
 */
class ProjectQueue {
  /** One bucket for each class of expected duration. */
  readonly #buckets = new Map<number, DurationBucket>()
  /**
   * Cached result without a duration limit. It stays valid until a job is added: any other change only moves
   * a queue back.
   */
  #cachedHead: QueueHead | null = null
  /**
   * Cached result for the last duration limit. Invalidated when a job leaves, because the next job may be
   * within the limit.
   */
  #cachedShortHead: { longestMs: number; head: QueueHead | null } | null = null

  constructor(
    readonly requestClass: RequestClassState,
    readonly group: QuotaGroup,
    private readonly queueOrder: QueueOrder,
  ) {}

  add(job: WaitingJob, shareKey: ShareKey): Queue {
    const durationClass = durationClassOf(job.expectedMs)
    const bucket = this.#buckets.get(durationClass) ?? new DurationBucket()
    this.#buckets.set(durationClass, bucket)
    const queue = bucket.queues.get(shareKey) ?? new Queue(this, shareKey)
    bucket.queues.set(shareKey, queue)
    const entry = { job, key: this.queueOrder.keyOf(job) }
    queue.insert(entry)
    if (queue.head === entry) {
      bucket.pushHead(queue)
      this.#cachedHead = null
      this.invalidate()
    }
    return queue
  }

  /**
   * Returns the queue head that is first in order among those within the duration limit, or null if there is
   * none or it would exceed a quota.
   */
  first(longestMs: number): QueueHead | null {
    if (this.queueOrder.isOverQuota(this.group, this.requestClass.placer.request)) return null
    if (longestMs === Number.POSITIVE_INFINITY) return this.head()
    const cached = this.#cachedShortHead
    if (cached?.longestMs === longestMs && (!cached.head || isCurrent(cached.head))) return cached.head
    const head = this.#find(longestMs)
    this.#cachedShortHead = { longestMs, head }
    return head
  }

  /** Like `first`, without a duration limit and regardless of quotas. */
  head(): QueueHead | null {
    if (!this.#cachedHead || !isCurrent(this.#cachedHead))
      this.#cachedHead = this.#find(Number.POSITIVE_INFINITY)
    return this.#cachedHead
  }

  /** Invalidates the cache after a job left one of the queues. */
  invalidate(): void {
    this.#cachedShortHead = null
  }

  #find(longestMs: number): QueueHead | null {
    const longestClass = durationClassOf(longestMs)
    let first: QueueHead | null = null
    for (const [durationClass, bucket] of this.#buckets) {
      if (durationClass > longestClass) continue
      const head = durationClass < longestClass ? bucket.first() : bucket.firstWithin(longestMs)
      if (head && (!first || compareHeads(head, first) < 0)) first = head
    }
    return first
  }
}

/** Queues of one quota group whose jobs have similar expected durations, in queue order. */
class DurationBucket {
  readonly queues = new Map<ShareKey, Queue>()
  /** May hold several heads of a queue; only the latest one counts. */
  readonly #heads = new Heap<QueueHead>(compareHeads)

  /** Adds the current head of a queue, which goes before its earlier heads. */
  pushHead(queue: Queue): void {
    queue.pushedHead = queue.currentHead()
    if (!queue.pushedHead) return
    if (this.#heads.size > 2 * this.queues.size) this.#heads.retain((head) => head.queue.pushedHead === head)
    this.#heads.push(queue.pushedHead)
  }

  first(): QueueHead | null {
    for (let head = this.#heads.first; head; head = this.#heads.first) {
      if (isCurrent(head)) return head
      this.#heads.pop()
      if (head.queue.pushedHead === head) this.pushHead(head.queue)
    }
    return null
  }

  /** Checks every queue, because the first jobs of some exceed the limit. */
  firstWithin(longestMs: number): QueueHead | null {
    let first: QueueHead | null = null
    for (const queue of this.queues.values()) {
      const head = queue.currentHead()
      if (!head || head.head.job.expectedMs > longestMs) continue
      if (!first || compareHeads(head, first) < 0) first = head
    }
    return first
  }
}

function isCurrent({ queue, head, userUsage }: QueueHead): boolean {
  return head === queue.head && Object.is(userUsage, queue.shareKey.user.usage)
}

/** Groups durations that differ by a factor of at most 1.4. */
function durationClassOf(milliseconds: number): number {
  return Math.round(2 * Math.log2(Math.max(1, milliseconds)))
}
