import { Heap } from './heap'
import type { QueueOrder } from './queue-order'
import {
  compareHeads,
  comparePositions,
  type Queue,
  type QueueGroup,
  type QueueHead,
  type QueuePosition,
  type QuotaQueue,
  type RequestClassState,
} from './queues'
import { QuotaReservations } from './quotas'

/**
 * The first jobs of the request classes that are not blocked, in queue order, during one pass. Under fair_share a charge
 * moves all jobs of one project. So it moves one queue group here, whatever the number of its jobs and request classes,
 * and the jobs of a group are looked at only when its project is next.
 */
export class Candidates {
  readonly #groups = new Heap<GroupCandidates>((a, b) => comparePositions(a.position, b.position))

  constructor(
    private readonly queueOrder: QueueOrder,
    private readonly now: number,
    isWanted: (requestClass: RequestClassState) => boolean = isNotBlocked,
  ) {
    for (const group of queueOrder.queueGroups)
      this.#groups.push(new GroupCandidates(group, group.queues, queueOrder, isWanted))
  }

  /**
   * Returns the queue whose first job is next. Within a pass, capacity and quotas only decrease, so a candidate can only
   * move back. Reserved quota limits a job only when it is next: before that, it depends on which earlier jobs were found to
   * be blocked in this pass.
   */
  next(): Queue | null {
    const quotas = new QuotaReservations(this.queueOrder, this.now)
    for (let group = this.#groups.pop(); group; group = this.#groups.pop()) {
      const known = group.first()
      if (!known) continue
      const isNext = comparePositions(this.queueOrder.candidateOf(known), group.position) === 0
      const found = isNext ? known.queue.projectQueue.firstWithin(quotas) : known
      const isFound = found !== null && compareHeads(found, known) === 0
      if (!isFound) group.replaceFirst(found)
      group.update()
      this.#groups.push(group)
      if (isNext && isFound) return known.queue
    }
    return null
  }
}

/**
 * Returns the queue of the first blocked job in order, ignoring jobs that would not fit even on an empty cluster.
 */
export function firstBlocked(queueOrder: QueueOrder, now: number): Queue | null {
  return new Candidates(queueOrder, now, isBlocked).next()
}

function isNotBlocked({ blocked }: RequestClassState): boolean {
  return !blocked
}

function isBlocked({ blocked, unschedulable }: RequestClassState): boolean {
  return blocked && !unschedulable
}

/** The first jobs of one queue group. */
class GroupCandidates {
  /** The position of its first job, or one before it. */
  position: QueuePosition
  /** The first head of each of its project queues, or one before it; null: not read yet. */
  #heads: Heap<QueueHead> | null = null

  constructor(
    { tier, group }: QueueGroup,
    private readonly queues: readonly QuotaQueue[],
    private readonly queueOrder: QueueOrder,
    private readonly isWanted: (requestClass: RequestClassState) => boolean,
  ) {
    const first = Number.NEGATIVE_INFINITY
    this.position = { tier, projectUsage: queueOrder.usageOf(group), userUsage: first, key: first, id: '' }
  }

  /** Returns its first head of the classes that are wanted, regardless of reserved quota. */
  first(): QueueHead | null {
    this.#heads ??= this.#read()
    for (let head = this.#heads.first; head; head = this.#heads.first) {
      if (this.isWanted(head.queue.projectQueue.requestClass)) return head
      this.#heads.pop()
    }
    return null
  }

  /** Replaces the first head by a later one of the same project queue; null: it has none. */
  replaceFirst(later: QueueHead | null): void {
    this.#heads?.pop()
    if (later) this.#heads?.push(later)
  }

  /** Determines its position again. */
  update(): void {
    const first = this.first()
    if (first) this.position = this.queueOrder.candidateOf(first)
  }

  #read(): Heap<QueueHead> {
    const heads = new Heap<QueueHead>(compareHeads)
    for (const queue of this.queues) {
      const { requestClass } = queue
      const head = this.isWanted(requestClass) ? queue.first(requestClass.longestMs) : null
      if (head) heads.push(head)
    }
    return heads
  }
}
