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
    return this.firstWithin(null)
  }

  firstWithin(quotas: QuotaReader | null): Candidate | null {
    this.#sort()
    const { queueOrder } = this
    let first: Candidate | null = null
    for (const queue of this.#byUsage) {
      if (first && queueOrder.usageOf(queue.group) > first.projectUsage) break
      const head = queue.first(this.longestMs)
      if (!head) continue
      let candidate = queueOrder.candidateOf(head)
      if (first && comparePositions(candidate, first) >= 0) continue
      const longestMs = quotas ? this.#longestWithin(quotas, queue.group, candidate) : this.longestMs
      if (longestMs < this.longestMs) {
        const shorter = queue.first(longestMs)
        if (!shorter) continue
        candidate = queueOrder.candidateOf(shorter)
        if (first && comparePositions(candidate, first) >= 0) continue
      }
      first = candidate
    }
    return first
  }

  /** Returns how long a job of the group may take without using reserved quota, at most `longestMs`. */
  #longestWithin(quotas: QuotaReader, group: QuotaGroup, candidate: Candidate): number {
    let { longestMs } = this
    for (const { held } of group.quotas) {
      const reservation = quotas.reservationOf(held)
      if (!reservation || gpuMilliOf(this.placer) <= reservation.spareMilli) continue
      if (comparePositions(candidate, reservation.candidate) <= 0) continue
      longestMs = Math.min(longestMs, reservation.longestMs)
    }
    return longestMs
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
    sortByUsage(this.#byUsage, queueOrder)
    this.#charges = queueOrder.charges
  }
}

/** Insertion sort, because a charge moves only one project. */
function sortByUsage(queues: ProjectQueue[], queueOrder: QueueOrder): void {
  for (let index = 1; index < queues.length; index++) {
    const queue = queues[index] as ProjectQueue
    const usage = queueOrder.usageOf(queue.group)
    let place = index
    for (; place > 0; place--) {
      const before = queues[place - 1] as ProjectQueue
      if (queueOrder.usageOf(before.group) <= usage) break
      queues[place] = before
    }
    queues[place] = queue
  }
}

/**
 * The waiting jobs of one request class and one quota group: of one project, or of one user with a limit. If the project
 * does not affect the order, the waiting jobs of one request class and all projects and users without quotas.
 */
class ProjectQueue {
  /** One bucket for each class of expected duration, the shortest first. */
  readonly #buckets: DurationBucket[] = []

  constructor(
    readonly requestClass: RequestClassState,
    readonly group: QuotaGroup,
    private readonly queueOrder: QueueOrder,
  ) {}

  add(job: WaitingJob, shareKey: ShareKey): Queue {
    const durationClass = durationClassOf(job.expectedMs)
    const last = this.#lastUpTo(durationClass)
    const index = this.#buckets[last]?.durationClass === durationClass ? last : last + 1
    if (index !== last) this.#buckets.splice(index, 0, new DurationBucket(durationClass))
    const bucket = this.#buckets[index] as DurationBucket
    const queue = bucket.queues.get(shareKey) ?? new Queue(this, shareKey)
    bucket.queues.set(shareKey, queue)
    const entry = { job, key: this.queueOrder.keyOf(job) }
    queue.insert(entry)
    if (queue.head === entry) {
      bucket.pushHead(queue)
      for (let longer = index; longer < this.#buckets.length; longer++)
        (this.#buckets[longer] as DurationBucket).cachedFirst = undefined
    }
    return queue
  }

  /**
   * Returns the queue head that is first in order among those within the duration limit, or null if there is
   * none or it would exceed a quota.
   */
  first(longestMs: number): QueueHead | null {
    if (this.queueOrder.isOverQuota(this.group, this.requestClass.placer.request)) return null
    const longestClass = durationClassOf(longestMs)
    const index = this.#lastUpTo(longestClass)
    const last = this.#buckets[index]
    if (last?.durationClass !== longestClass) return this.#firstUpTo(index)
    return firstOf(this.#firstUpTo(index - 1), last.firstWithin(longestMs))
  }

  /** Like `first`, without a duration limit and regardless of quotas. */
  head(): QueueHead | null {
    return this.#firstUpTo(this.#buckets.length - 1)
  }

  /** Returns the first head in order of the buckets up to an index. */
  #firstUpTo(index: number): QueueHead | null {
    let known = index
    while (this.#buckets[known]?.isCachedFirstValid === false) known -= 1
    let first = this.#buckets[known]?.cachedFirst ?? null
    for (let next = known + 1; next <= index; next++) {
      const bucket = this.#buckets[next] as DurationBucket
      first = firstOf(first, bucket.first())
      bucket.cachedFirst = first
    }
    return first
  }

  /** Returns the index of the last bucket up to a duration class, or -1. */
  #lastUpTo(durationClass: number): number {
    let low = 0
    for (let high = this.#buckets.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((this.#buckets[middle] as DurationBucket).durationClass <= durationClass) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Queues of one quota group whose jobs have similar expected durations, in queue order. */
class DurationBucket {
  /**
   * The first head in order of this bucket and those with shorter jobs; undefined: not known. It stays valid as long as
   * it is the head of its queue and no job is added: any other change only moves a queue back.
   */
  cachedFirst: QueueHead | null | undefined
  /** Queues without jobs are removed. */
  readonly queues = new Map<ShareKey, Queue>()
  /** May hold several heads of a queue; only the latest one counts. */
  readonly #heads = new Heap<QueueHead>(compareHeads)

  constructor(readonly durationClass: number) {}

  get isCachedFirstValid(): boolean {
    const { cachedFirst } = this
    return cachedFirst === null || (cachedFirst !== undefined && isCurrent(cachedFirst))
  }

  /** Adds the current head of a queue, which goes before its earlier heads. */
  pushHead(queue: Queue): void {
    queue.pushedHead = queue.currentHead()
    if (!queue.pushedHead) {
      this.queues.delete(queue.shareKey)
      return
    }
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
      const { head } = queue
      if (head && head.job.expectedMs <= longestMs) first = firstOf(first, queue.currentHead())
    }
    return first
  }
}

function firstOf(a: QueueHead | null, b: QueueHead | null): QueueHead | null {
  return a && (!b || compareHeads(a, b) <= 0) ? a : b
}

function isCurrent({ queue, head, userUsage }: QueueHead): boolean {
  return head === queue.head && Object.is(userUsage, queue.shareKey.user.usage)
}

/** Groups durations that differ by a factor of at most 1.4. */
function durationClassOf(milliseconds: number): number {
  return Math.round(2 * Math.log2(Math.max(1, milliseconds)))
}
