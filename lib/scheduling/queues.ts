import type { Placer } from './placer'
import type { EarliestStarts } from './reservations/reservation'
import type { WaitingJob } from './types'

/** The state of all jobs with an equal request. If one of them does not fit, none does. */
export interface RequestClassState {
  readonly placer: Placer
  readonly earliestStarts: EarliestStarts
  /** Does not fit anywhere until a node gets more free capacity. */
  blocked: boolean
  /** Would not fit even if all running jobs ended. */
  unschedulable: boolean
  /** In this pass, longer jobs would use capacity that is reserved for an earlier job. */
  longestMs: number
  /** Number of jobs in its queues. */
  jobs: number
}

/** The part of a quota that is reserved for its first blocked job. */
export interface QuotaReservation {
  /** The job that has the reservation. Jobs that precede it are not limited. */
  candidate: Candidate
  /** Jobs that end within this time do not use the reserved part. */
  longestMs: number
  /** Thousandths of GPUs of the quota that are not reserved. */
  spareMilli: number
}

export interface QuotaReader {
  /** Null if none of these GPUs are reserved. */
  reservationOf(held: HeldGpus): QuotaReservation | null
}

/** The unit whose usage is counted together: a project, a user or a token with a quota, a user under fair_share, or everybody. */
export interface ShareKey {
  group: QuotaGroup
  /** The account within the project; unused under policies without fair shares. */
  user: Account
}

export interface Account {
  /** Charged GPU milliseconds, divided by the weight; see `QueueOrder.charge`. */
  usage: number
}

export interface ProjectAccount extends Account, HeldGpus {
  weight: number
  quotaMilli: number | null
  users: Map<string, Account>
  /** Limits of concurrent GPUs in thousandths, by user. */
  userLimits: Map<string, number>
}

/** The GPUs that the running jobs of one project, one user or one token hold. */
export interface HeldGpus {
  heldMilli: number
  /** The running jobs by id, with their GPU thousandths and expected ends. */
  holders: Map<string, { milli: number; endsAt: number }>
  /** The waiting jobs that have a quota for these GPUs, by request class. */
  queues: QuotaQueue[]
}

/** Maximum thousandths of GPUs held at once: the quota of a project, or the limit of a user or of a token. */
export interface GpuQuota {
  reason: 'quota' | 'max_concurrent_gpus' | 'token_max_gpus'
  milli: number
  held: HeldGpus
  /** The name of the token; undefined: it is of a project or a user. */
  token?: string
}

/** All jobs with the same quotas. Under fair_share they belong to one project. */
export interface QuotaGroup {
  project: ProjectAccount
  /** Whether its job precedes all others, because it has waited longest. */
  isPromoted: boolean
  quotas: readonly GpuQuota[]
}

/** The waiting jobs of one request class and one quota group. */
export interface QuotaQueue {
  readonly requestClass: RequestClassState
  readonly group: QuotaGroup
  head(): QueueHead | null
  /** Returns the first job in order whose duration is within the limit; null: none, or it would exceed a quota. */
  first(longestMs: number): QueueHead | null
  /** Returns the first job in order that is not too long, and within its quotas and the reservations there. */
  firstWithin(quotas: QuotaReader): QueueHead | null
}

/** All waiting jobs with the same tier and project usage: those of a quota group, by request class. */
export interface QueueGroup {
  tier: QueuePosition['tier']
  group: QuotaGroup
  queues: QuotaQueue[]
}

/** A waiting job and its order within its share key; smaller goes first. */
export interface Entry {
  job: WaitingJob
  key: number
}

/** The sort keys of a job, most significant first; smaller goes first. */
export interface QueuePosition {
  /** 1 for best-effort jobs, which use only idle resources; -1 for the promoted job. */
  tier: -1 | 0 | 1
  /** Usage of the project and its user; 0 if the policy ignores it. */
  projectUsage: number
  userUsage: number
  key: number
  id: string
}

/** The position of a queue's first job when it was read. Within a pass it can only move back. */
export interface Candidate extends QueuePosition {
  queue: Queue
}

/**
 * The first job of a queue and its user's usage when it was read. The position can only move back until a job
 * arrives.
 */
export interface QueueHead {
  readonly queue: Queue
  readonly head: Entry
  readonly user: Account
  readonly userUsage: number
  /** Whether the job is no longer the first of its queue. Kept here, because each pass asks this for many queues. */
  isPast: boolean
}

/** Jobs of one request class, one share key and similar duration, in order. */
export class Queue {
  #entries: Entry[] = []
  #first = 0
  readonly #withdrawn = new Set<string>()
  /** The head that was last added to its duration bucket. */
  pushedHead: QueueHead | null = null
  /** The head that was last read. */
  #read: QueueHead | null = null

  constructor(
    readonly projectQueue: QuotaQueue,
    readonly shareKey: ShareKey,
  ) {}

  get head(): Entry | null {
    if (this.#withdrawn.size === 0) return this.#entries[this.#first] ?? null
    for (let entry = this.#entries[this.#first]; entry; entry = this.#entries[this.#first]) {
      if (!this.#withdrawn.delete(entry.job.id)) return entry
      this.#first += 1
    }
    return null
  }

  currentHead(): QueueHead | null {
    const { head, shareKey } = this
    const { user } = shareKey
    if (this.#read && isCurrent(this.#read)) return this.#read
    this.#read = head && { queue: this, head, user, userUsage: user.usage, isPast: false }
    return this.#read
  }

  insert(entry: Entry): void {
    this.projectQueue.requestClass.jobs += 1
    let low = this.#first
    for (let high = this.#entries.length; low < high; ) {
      const middle = (low + high) >> 1
      const other = this.#entries[middle]
      if (other && compareEntries(other, entry) < 0) low = middle + 1
      else high = middle
    }
    this.#entries.splice(low, 0, entry)
    if (low === this.#first) this.#forgetRead()
  }

  shift(): void {
    this.projectQueue.requestClass.jobs -= 1
    this.#forgetRead()
    this.#first += 1
    if (this.#first < 1024 || this.#first * 2 < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }

  withdraw(jobId: string): void {
    this.projectQueue.requestClass.jobs -= 1
    this.#forgetRead()
    this.#withdrawn.add(jobId)
  }

  #forgetRead(): void {
    if (this.#read) this.#read.isPast = true
    this.#read = null
  }
}

/** Whether a head is still the first of its queue, and its position has not changed. */
export function isCurrent({ isPast, user, userUsage }: QueueHead): boolean {
  return !isPast && Object.is(userUsage, user.usage)
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

export function compareEntries(a: Entry, b: Entry): number {
  return a.key - b.key || compareIds(a.job.id, b.job.id)
}

/** Orders two queues of one request class and one quota group. */
export function compareHeads(a: QueueHead, b: QueueHead): number {
  return a.userUsage - b.userUsage || compareEntries(a.head, b.head)
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
