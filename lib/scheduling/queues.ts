import type { Placer } from './placer'
import type { EarliestStarts } from './reservation'
import type { WaitingJob } from './types'

/** Jobs that ask for the same. Where one of them does not fit, none does. */
export interface RequestClassState {
  readonly placer: Placer
  readonly earliestStarts: EarliestStarts
  /** Fits nowhere, until a node gets room for it. */
  blocked: boolean
  /** Would not fit if all that runs had ended. */
  unschedulable: boolean
  /** In this pass, jobs that are expected to run longer would take room that is kept for a job ahead of them. */
  longestMs: number
  /** The queue whose first job is next, of those that are neither too long nor over a quota. */
  first(): Candidate | null
  /** The same, of those that leave alone what is kept of their project's quota. */
  firstWithin(quotas: QuotaKeeper): Candidate | null
}

/** What of a project's quota is kept for the first of its jobs that cannot start. */
export interface KeptQuota {
  /** Whose it is: jobs that go before it are not held up. */
  candidate: Candidate
  /** Jobs that end by then hold nothing of it. */
  longestMs: number
  /** Thousandths of GPUs that are left beside it. */
  spareMilli: number
}

export interface QuotaKeeper {
  /** Null: nothing of a project's quota is kept. */
  keptOf(project: ProjectAccount): KeptQuota | null
}

/** Whose use counts together: a project with a quota, a user under fair_share, or everybody. */
export interface ShareKey {
  project: ProjectAccount
  /** Whose use counts within the project; never used where none does. */
  user: Account
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
  /** Its jobs that hold some: how many, and when they are expected to end. */
  holders: Map<string, { milli: number; endsAt: number }>
  /** Where its jobs wait, if it has a quota. */
  buckets: { readonly requestClass: RequestClassState; head(): QueueHead | null }[]
  users: Map<string, Account>
}

/** A waiting job and its place among those of its share key: smaller goes first. */
export interface Entry {
  job: WaitingJob
  key: number
}

/** What decides whose turn it is, the first first; smaller goes first. */
export interface QueuePosition {
  /** 1 for jobs that take only what is left. */
  tier: 0 | 1
  /** What the project and its user have used, where that counts. */
  projectUsage: number
  userUsage: number
  key: number
  id: string
}

/** A queue's first job's turn, as it was when it was looked at. Within a pass it only gets later. */
export interface Candidate extends QueuePosition {
  queue: Queue
}

/** A queue's first job and its user's use, as they were when it was looked at: it only gets later, unless a job comes. */
export interface QueueHead {
  queue: Queue
  head: Entry
  userUsage: number
}

/** Jobs of one request class, one share key and about one length, in their order. */
export class Queue {
  #entries: Entry[] = []
  #first = 0
  readonly #gone = new Set<string>()
  /** As it last came into its line. */
  queueHead: QueueHead | null = null

  constructor(
    readonly bucket: { readonly requestClass: RequestClassState; forget(): void },
    readonly shareKey: ShareKey,
  ) {}

  get head(): Entry | null {
    if (this.#gone.size === 0) return this.#entries[this.#first] ?? null
    for (let entry = this.#entries[this.#first]; entry; entry = this.#entries[this.#first]) {
      if (!this.#gone.delete(entry.job.id)) return entry
      this.#first += 1
    }
    return null
  }

  /** Where it stands now; null when it is empty. */
  stand(): QueueHead | null {
    const { head } = this
    return head && { queue: this, head, userUsage: this.shareKey.user.usage }
  }

  insert(entry: Entry): void {
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
    this.bucket.forget()
    this.#first += 1
    if (this.#first < 1024 || this.#first * 2 < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }

  withdraw(jobId: string): void {
    this.bucket.forget()
    this.#gone.add(jobId)
  }
}

export function comparePositions(a: QueuePosition, b: QueuePosition): number {
  return (
    a.tier - b.tier ||
    a.projectUsage - b.projectUsage ||
    a.userUsage - b.userUsage ||
    a.key - b.key ||
    compareIds(a.id, b.id)
  )
}

export function byKey(a: Entry, b: Entry): number {
  return a.key - b.key || compareIds(a.job.id, b.job.id)
}

/** Which of two queues of one request class and one project goes first. */
export function byPosition(a: QueueHead, b: QueueHead): number {
  return a.userUsage - b.userUsage || byKey(a.head, b.head)
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
