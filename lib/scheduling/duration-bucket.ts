import { Heap } from './heap'
import type { QueueOrder } from './queue-order'
import {
  byPosition,
  type ProjectAccount,
  Queue,
  type QueueHead,
  type RequestClassState,
  type ShareKey,
} from './queues'
import type { WaitingJob } from './types'

/** Jobs of one request class and one project, or of one request class and of all projects where it does not matter whose they are. */
export class DurationBucket {
  /** By about how long their jobs are. */
  readonly #lines = new Map<number, ProjectQueue>()
  /** What was found without a longest time. All that may happen to it or to others but a job's coming is to get later. */
  #first: QueueHead | null = null
  /** What was found for the last longest time. Where a job leaves, one may follow that is not too long. */
  #firstShort: { longestMs: number; head: QueueHead | null } | null = null

  constructor(
    readonly requestClass: RequestClassState,
    readonly project: ProjectAccount,
    private readonly queueOrder: QueueOrder,
  ) {}

  add(job: WaitingJob, shareKey: ShareKey): Queue {
    const length = lengthClass(job.expectedMs)
    const line = this.#lines.get(length) ?? new ProjectQueue()
    this.#lines.set(length, line)
    const queue = line.queues.get(shareKey) ?? new Queue(this, shareKey)
    line.queues.set(shareKey, queue)
    const entry = { job, key: this.queueOrder.keyOf(job) }
    queue.insert(entry)
    if (queue.head === entry) {
      line.enter(queue)
      this.#first = null
      this.forget()
    }
    return queue
  }

  /** The queue whose first job is next, of those that are not too long. */
  first(longestMs: number): QueueHead | null {
    if (this.queueOrder.isOverQuota(this.project, this.requestClass.placer.request)) return null
    if (longestMs === Number.POSITIVE_INFINITY) return this.head()
    const known = this.#firstShort
    if (known?.longestMs === longestMs && (!known.head || isCurrent(known.head))) return known.head
    const head = this.#find(longestMs)
    this.#firstShort = { longestMs, head }
    return head
  }

  /** The queue whose first job is next, whatever the project may still hold. */
  head(): QueueHead | null {
    if (!this.#first || !isCurrent(this.#first)) this.#first = this.#find(Number.POSITIVE_INFINITY)
    return this.#first
  }

  /** A job leaves one of its queues. */
  forget(): void {
    this.#firstShort = null
  }

  #find(longestMs: number): QueueHead | null {
    const longest = lengthClass(longestMs)
    let first: QueueHead | null = null
    for (const [length, line] of this.#lines) {
      if (length > longest) continue
      const head = length < longest ? line.first() : line.firstWithin(longestMs)
      if (head && (!first || byPosition(head, first) < 0)) first = head
    }
    return first
  }
}

/** Queues of one duration bucket with jobs of about one length, in the order of their turns. */
class ProjectQueue {
  readonly queues = new Map<ShareKey, Queue>()
  /** Of a queue's standings only the last counts. */
  readonly #standings = new Heap<QueueHead>(byPosition)

  /** A queue has a first job that goes before those it had. */
  enter(queue: Queue): void {
    queue.queueHead = queue.stand()
    if (!queue.queueHead) return
    if (this.#standings.size > 2 * this.queues.size)
      this.#standings.keep((head) => head.queue.queueHead === head)
    this.#standings.push(queue.queueHead)
  }

  first(): QueueHead | null {
    for (let head = this.#standings.first; head; head = this.#standings.first) {
      if (isCurrent(head)) return head
      this.#standings.pop()
      if (head.queue.queueHead === head) this.enter(head.queue)
    }
    return null
  }

  /** Looks at all: some of its queues' first jobs are too long. */
  firstWithin(longestMs: number): QueueHead | null {
    let first: QueueHead | null = null
    for (const queue of this.queues.values()) {
      const head = queue.stand()
      if (!head || head.head.job.expectedMs > longestMs) continue
      if (!first || byPosition(head, first) < 0) first = head
    }
    return first
  }
}

function isCurrent({ queue, head, userUsage }: QueueHead): boolean {
  return head === queue.head && Object.is(userUsage, queue.shareKey.user.usage)
}

/** Jobs about as long as each other: within a factor of 1.4. */
function lengthClass(milliseconds: number): number {
  return Math.round(2 * Math.log2(Math.max(1, milliseconds)))
}
