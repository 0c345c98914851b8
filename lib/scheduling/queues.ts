import type { Placer } from './placer'
import type { Openings } from './reservation'
import type { JobFacts, WaitingJob } from './types'

/** Jobs that ask for the same. Where one of them does not fit, none does. */
export interface Shape {
  placer: Placer
  openings: Openings
  /** Fits nowhere, until a node gets room for it. */
  blocked: boolean
  /** Would not fit if all that runs had ended. */
  hopeless: boolean
  /** In this pass, jobs that are expected to run longer would take room that is kept for a job ahead of them. */
  longestMs: number
}

/** Whose use counts together: a project with a quota, a user under fair_share, or everybody. */
export interface Flow {
  project: ProjectAccount
  user: Account
  bins: Bin[]
}

export interface Account {
  id: string
  /** GPU milliseconds by the weight, as charged; see `Turns.charge`. */
  usage: number
}

export interface ProjectAccount extends Account {
  weight: number
  quotaMilli: number | null
  exhausted: boolean
  /** Thousandths of GPUs that its jobs hold. */
  heldMilli: number
  users: Map<string, Account>
}

/** A waiting job and its place among those of its flow: smaller goes first. */
export interface Entry {
  job: WaitingJob
  key: number
}

/** Jobs of one shape and one flow. */
export class Bin {
  readonly #queues = new Map<number, Queue>()
  /** What was found for the last longest times. */
  readonly #firsts = new Map<number, Queue | null>()

  constructor(
    readonly shape: Shape,
    readonly flow: Flow,
    /** 1 for jobs that take only what is left. */
    readonly tier: 0 | 1,
  ) {}

  /** Where jobs about as long as this one wait. */
  queueOf({ expectedMs }: JobFacts): Queue {
    const length = lengthClass(expectedMs)
    const queue = this.#queues.get(length) ?? new Queue(this)
    this.#queues.set(length, queue)
    return queue
  }

  /** The queue whose first job is next, of those that are not too long. */
  first(): Queue | null {
    const { longestMs } = this.shape
    const known = this.#firsts.get(longestMs)
    if (known !== undefined) return known
    let first: { queue: Queue; entry: Entry } | null = null
    for (const queue of this.#queues.values()) {
      const entry = queue.head
      if (!entry || entry.job.expectedMs > longestMs) continue
      if (!first || byKey(entry, first.entry) < 0) first = { queue, entry }
    }
    if (this.#firsts.size > 1) this.#firsts.clear()
    this.#firsts.set(longestMs, first?.queue ?? null)
    return first?.queue ?? null
  }

  /** One of its queues has another first job. */
  forget(): void {
    this.#firsts.clear()
  }
}

/** Jobs of one shape, one flow and about one length, in their order. */
export class Queue {
  #entries: Entry[] = []
  #first = 0
  readonly #gone = new Set<string>()

  constructor(readonly bin: Bin) {}

  get head(): Entry | null {
    if (this.#gone.size === 0) return this.#entries[this.#first] ?? null
    for (let entry = this.#entries[this.#first]; entry; entry = this.#entries[this.#first]) {
      if (!this.#gone.delete(entry.job.id)) return entry
      this.#first += 1
    }
    return null
  }

  /** Many at once; each one's place is found once all are there. */
  fill(entries: Entry[]): void {
    this.bin.forget()
    this.#entries.push(...entries)
    this.#entries.sort(byKey)
  }

  insert(entry: Entry): void {
    this.bin.forget()
    let low = this.#first
    for (let high = this.#entries.length; low < high; ) {
      const middle = (low + high) >> 1
      const other = this.#entries[middle]
      if (other && byKey(other, entry) < 0) low = middle + 1
      else high = middle
    }
    this.#entries.splice(low, 0, entry)
  }

  shift(): void {
    this.bin.forget()
    this.#first += 1
    if (this.#first < 1024 || this.#first * 2 < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }

  withdraw(jobId: string): void {
    this.bin.forget()
    this.#gone.add(jobId)
  }
}

/** Bins in the order of their first jobs, while a pass takes jobs from them. */
export class Line {
  /** The next one last. */
  readonly #places: { bin: Bin; entry: Entry }[] = []

  constructor(bins: readonly Bin[]) {
    for (const bin of bins) {
      const entry = bin.first()?.head
      if (entry) this.#places.push({ bin, entry })
    }
    this.#places.sort((a, b) => byTurn(b, a))
  }

  /** The queue whose first job is next. A bin whose first job may not start leaves the line for good. */
  first(mayStart: (bin: Bin, entry: Entry) => boolean): Queue | null {
    for (let place = this.#places.pop(); place; place = this.#places.pop()) {
      const { bin } = place
      const queue = bin.first()
      const entry = queue?.head
      if (!entry || !mayStart(bin, entry)) continue
      this.#insert({ bin, entry })
      if (entry === place.entry) return queue
    }
    return null
  }

  #insert(place: { bin: Bin; entry: Entry }): void {
    let low = 0
    for (let high = this.#places.length; low < high; ) {
      const middle = (low + high) >> 1
      const other = this.#places[middle]
      if (other && byTurn(other, place) > 0) low = middle + 1
      else high = middle
    }
    this.#places.splice(low, 0, place)
  }
}

function byTurn(a: { bin: Bin; entry: Entry }, b: { bin: Bin; entry: Entry }): number {
  return a.bin.tier - b.bin.tier || byKey(a.entry, b.entry)
}

export function byKey(a: Entry, b: Entry): number {
  return a.key - b.key || (a.job.id < b.job.id ? -1 : 1)
}

/** Jobs about as long as each other: within a factor of 1.4. */
function lengthClass(milliseconds: number): number {
  return Math.round(2 * Math.log2(Math.max(1, milliseconds)))
}
