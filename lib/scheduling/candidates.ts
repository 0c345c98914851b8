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

/** What the candidates depend on beside the state of the queues. */
interface Reserving {
  /** Whether a blocked job may still get a reservation. False stays false. */
  readonly mayReserve: boolean
}

/**
 * The first jobs of the request classes that can start or get a reservation, in queue order, during one pass. Under
 * fair_share a charge moves all jobs of one project. So it moves one queue group here, whatever the number of its jobs and
 * request classes, and the jobs of a group are looked at only when its project is next.
 */
export class Candidates {
  readonly #groups = new Heap<GroupCandidates>((a, b) => comparePositions(a.position, b.position))

  constructor(
    private readonly queueOrder: QueueOrder,
    private readonly now: number,
    pass: Reserving,
  ) {
    for (const group of queueOrder.queueGroups)
      this.#groups.push(new GroupCandidates(group, group.queues, queueOrder, pass))
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

/** The first jobs of one queue group. */
class GroupCandidates {
  /** The position of its first job, or one before it. */
  position: QueuePosition
  /** The first head of each of its project queues, or one before it. */
  readonly #open = new Heap<QueueHead>(compareHeads)
  /** Those of the blocked classes. Apart, because most classes are blocked, and few blocked jobs get a reservation. */
  readonly #blocked = new Heap<QueueHead>(compareHeads)
  #isRead = false

  constructor(
    { tier, group }: QueueGroup,
    private readonly queues: readonly QuotaQueue[],
    private readonly queueOrder: QueueOrder,
    private readonly pass: Reserving,
  ) {
    const first = Number.NEGATIVE_INFINITY
    this.position = { tier, projectUsage: queueOrder.usageOf(group), userUsage: first, key: first, id: '' }
  }

  /** Returns its first head, regardless of reserved quota. */
  first(): QueueHead | null {
    return this.#firstHeap()?.first ?? null
  }

  /** Replaces the first head by a later one of the same project queue; null: it has none. */
  replaceFirst(later: QueueHead | null): void {
    const heap = this.#firstHeap()
    heap?.pop()
    if (later) heap?.push(later)
  }

  /** Determines its position again. */
  update(): void {
    const first = this.first()
    if (first) this.position = this.queueOrder.candidateOf(first)
  }

  /** Returns the heap with its first head; null: it has none. */
  #firstHeap(): Heap<QueueHead> | null {
    if (!this.#isRead) this.#read()
    let open = this.#open.first
    for (; open && classOf(open).blocked; open = this.#open.first) {
      this.#open.pop()
      if (this.pass.mayReserve) this.#blocked.push(open)
    }
    let blocked = this.pass.mayReserve ? this.#blocked.first : undefined
    for (; blocked && classOf(blocked).unschedulable; blocked = this.#blocked.first) this.#blocked.pop()
    if (!blocked) return open ? this.#open : null
    return open && compareHeads(open, blocked) < 0 ? this.#open : this.#blocked
  }

  #read(): void {
    this.#isRead = true
    const { mayReserve } = this.pass
    for (const queue of this.queues) {
      const { blocked, unschedulable, longestMs } = queue.requestClass
      if (blocked && (unschedulable || !mayReserve)) continue
      const head = queue.first(longestMs)
      if (head) (blocked ? this.#blocked : this.#open).push(head)
    }
  }
}

function classOf({ queue }: QueueHead): RequestClassState {
  return queue.projectQueue.requestClass
}
