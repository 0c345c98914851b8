import { Heap } from './heap'
import type { Placer } from './placer'
import { exceededQuota, gpuMilliOf, type QueueOrder } from './queue-order'
import {
  type Candidate,
  compareHeads,
  comparePositions,
  isCurrent,
  Queue,
  type QueueHead,
  type QuotaGroup,
  type QuotaQueue,
  type QuotaReader,
  type RequestClassState,
  type ShareKey,
} from './queues'
import type { EarliestStarts } from './reservations/reservation'
import type { WaitingJob } from './types'

export class RequestClass implements RequestClassState {
  blocked = false
  unschedulable = false
  longestMs = Number.POSITIVE_INFINITY
  jobs = 0
  readonly #queues = new Map<QuotaGroup, ProjectQueue>()

  constructor(
    readonly placer: Placer,
    readonly earliestStarts: EarliestStarts,
    private readonly queueOrder: QueueOrder,
  ) {}

  add(job: WaitingJob): Queue {
    const shareKey = this.queueOrder.shareKey(job)
    return this.#queueOf(shareKey.group).add(job, shareKey)
  }

  #queueOf(group: QuotaGroup): ProjectQueue {
    const known = this.#queues.get(group)
    if (known) return known
    const queue = new ProjectQueue(this, group, this.queueOrder)
    this.#queues.set(group, queue)
    for (const { held } of group.quotas) held.queues.push(queue)
    this.queueOrder.queueGroupOf(group, this.placer.request).queues.push(queue)
    return queue
  }
}

/**
 * The waiting jobs of one request class and one quota group: of one project, or of one user with a limit. If the project
 * does not affect the order, the waiting jobs of one request class and all projects and users without quotas.
 */
class ProjectQueue implements QuotaQueue {
  /** By duration class. */
  readonly #buckets: DurationBucket[] = []
  /**
   * A binary tree over the duration classes: 1 is the root, the children of n are 2n and 2n + 1, and the leaf of a class is
   * that class plus the number of classes. Each node has the first head in order of its classes; null: none, undefined:
   * not known. A head stays valid as long as it is the head of its queue and no job is added: any other change only
   * moves a queue back. So after a charge of a user only the nodes with a head of that user are determined again.
   */
  readonly #firsts: (QueueHead | null | undefined)[] = new Array(2 * durationClasses).fill(null)

  constructor(
    readonly requestClass: RequestClassState,
    readonly group: QuotaGroup,
    private readonly queueOrder: QueueOrder,
  ) {}

  add(job: WaitingJob, shareKey: ShareKey): Queue {
    const durationClass = durationClassOf(job.expectedMs)
    const bucket = this.#buckets[durationClass] ?? new DurationBucket()
    this.#buckets[durationClass] = bucket
    const queue = bucket.queues.get(shareKey) ?? new Queue(this, shareKey)
    bucket.queues.set(shareKey, queue)
    const entry = { job, key: this.queueOrder.keyOf(job) }
    queue.insert(entry)
    if (queue.head === entry) {
      bucket.pushHead(queue)
      for (let node = durationClasses + durationClass; node >= 1; node >>= 1) this.#firsts[node] = undefined
    }
    return queue
  }

  /**
   * Returns the queue head that is first in order among those within the duration limit, or null if there is
   * none or it would exceed a quota.
   */
  first(longestMs: number): QueueHead | null {
    if (exceededQuota(this.group, this.requestClass.placer.request) !== null) return null
    if (longestMs === Number.POSITIVE_INFINITY) return this.head()
    const longestClass = durationClassOf(longestMs)
    const longest = this.#buckets[longestClass]?.firstWithin(longestMs) ?? null
    return firstOf(this.#firstBelow(longestClass), longest)
  }

  firstWithin(quotas: QuotaReader): QueueHead | null {
    const { longestMs } = this.requestClass
    const head = this.first(longestMs)
    if (!head || this.group.quotas.length === 0) return head
    const longestWithin = this.#longestWithin(quotas, this.queueOrder.candidateOf(head))
    return longestWithin < longestMs ? this.first(longestWithin) : head
  }

  /** Returns how long a job may take without using reserved quota, at most as long as its class allows. */
  #longestWithin(quotas: QuotaReader, candidate: Candidate): number {
    let { longestMs } = this.requestClass
    for (const { held } of this.group.quotas) {
      const reservation = quotas.reservationOf(held)
      if (!reservation || gpuMilliOf(this.requestClass.placer) <= reservation.spareMilli) continue
      if (comparePositions(candidate, reservation.candidate) <= 0) continue
      longestMs = Math.min(longestMs, reservation.longestMs)
    }
    return longestMs
  }

  /** Like `first`, without a duration limit and regardless of quotas. */
  head(): QueueHead | null {
    return this.#first(1)
  }

  /** Returns the first head in order of the classes below a class. */
  #firstBelow(durationClass: number): QueueHead | null {
    let first: QueueHead | null = null
    for (let node = durationClasses + durationClass; node > 1; node >>= 1)
      if (node & 1) first = firstOf(first, this.#first(node - 1))
    return first
  }

  #first(node: number): QueueHead | null {
    const known = this.#firsts[node]
    if (known === null || (known !== undefined && isCurrent(known))) return known
    const first =
      node < durationClasses
        ? firstOf(this.#first(2 * node), this.#first(2 * node + 1))
        : (this.#buckets[node - durationClasses]?.first() ?? null)
    this.#firsts[node] = first
    return first
  }
}

/** Queues of one quota group whose jobs have similar expected durations, in queue order. */
class DurationBucket {
  /** Queues without jobs are removed. */
  readonly queues = new Map<ShareKey, Queue>()
  /** May hold several heads of a queue; only the latest one counts. */
  readonly #heads = new Heap<QueueHead>(compareHeads)

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

/** A power of two. Durations of 35 days and more are in the last class. */
const durationClasses = 64

/** Groups durations that differ by a factor of at most 1.4. */
function durationClassOf(milliseconds: number): number {
  return Math.min(durationClasses - 1, Math.round(2 * Math.log2(Math.max(1, milliseconds))))
}
