import { Heap } from './heap'
import type { Turns } from './queue-heads'
import { byTurn, type Flow, type ProjectAccount, Queue, type ShapeState, type Standing } from './queues'
import type { WaitingJob } from './types'

/** Jobs of one shape and one project, or of one shape and of all projects where it does not matter whose they are. */
export class Bin {
  /** By about how long their jobs are. */
  readonly #lines = new Map<number, Line>()
  /** What was found without a longest time. All that may happen to it or to others but a job's coming is to get later. */
  #first: Standing | null = null
  /** What was found for the last longest time. Where a job leaves, one may follow that is not too long. */
  #firstShort: { longestMs: number; standing: Standing | null } | null = null

  constructor(
    readonly shape: ShapeState,
    readonly project: ProjectAccount,
    private readonly turns: Turns,
  ) {}

  add(job: WaitingJob, flow: Flow): Queue {
    const length = lengthClass(job.expectedMs)
    const line = this.#lines.get(length) ?? new Line()
    this.#lines.set(length, line)
    const queue = line.queues.get(flow) ?? new Queue(this, flow)
    line.queues.set(flow, queue)
    const entry = { job, key: this.turns.keyOf(job) }
    queue.insert(entry)
    if (queue.head === entry) {
      line.enter(queue)
      this.#first = null
      this.forget()
    }
    return queue
  }

  /** The queue whose first job is next, of those that are not too long. */
  first(longestMs: number): Standing | null {
    if (this.turns.isOverQuota(this.project, this.shape.placer.request)) return null
    if (longestMs === Number.POSITIVE_INFINITY) return this.head()
    const known = this.#firstShort
    if (known?.longestMs === longestMs && (!known.standing || isCurrent(known.standing)))
      return known.standing
    const standing = this.#find(longestMs)
    this.#firstShort = { longestMs, standing }
    return standing
  }

  /** The queue whose first job is next, whatever the project may still hold. */
  head(): Standing | null {
    if (!this.#first || !isCurrent(this.#first)) this.#first = this.#find(Number.POSITIVE_INFINITY)
    return this.#first
  }

  /** A job leaves one of its queues. */
  forget(): void {
    this.#firstShort = null
  }

  #find(longestMs: number): Standing | null {
    const longest = lengthClass(longestMs)
    let first: Standing | null = null
    for (const [length, line] of this.#lines) {
      if (length > longest) continue
      const standing = length < longest ? line.first() : line.firstWithin(longestMs)
      if (standing && (!first || byTurn(standing, first) < 0)) first = standing
    }
    return first
  }
}

/** Queues of one bin with jobs of about one length, in the order of their turns. */
class Line {
  readonly queues = new Map<Flow, Queue>()
  /** Of a queue's standings only the last counts. */
  readonly #standings = new Heap<Standing>(byTurn)

  /** A queue has a first job that goes before those it had. */
  enter(queue: Queue): void {
    queue.standing = queue.stand()
    if (!queue.standing) return
    if (this.#standings.size > 2 * this.queues.size)
      this.#standings.keep((standing) => standing.queue.standing === standing)
    this.#standings.push(queue.standing)
  }

  first(): Standing | null {
    for (let standing = this.#standings.first; standing; standing = this.#standings.first) {
      if (isCurrent(standing)) return standing
      this.#standings.pop()
      if (standing.queue.standing === standing) this.enter(standing.queue)
    }
    return null
  }

  /** Looks at all: some of its queues' first jobs are too long. */
  firstWithin(longestMs: number): Standing | null {
    let first: Standing | null = null
    for (const queue of this.queues.values()) {
      const standing = queue.stand()
      if (!standing || standing.head.job.expectedMs > longestMs) continue
      if (!first || byTurn(standing, first) < 0) first = standing
    }
    return first
  }
}

function isCurrent({ queue, head, userUsage }: Standing): boolean {
  return head === queue.head && Object.is(userUsage, queue.flow.user.usage)
}

/** Jobs about as long as each other: within a factor of 1.4. */
function lengthClass(milliseconds: number): number {
  return Math.round(2 * Math.log2(Math.max(1, milliseconds)))
}
