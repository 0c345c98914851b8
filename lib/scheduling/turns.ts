import type { Placer } from './placer'
import type { JobFacts, Policy, ProjectShare, WaitingJob } from './types'

/** Jobs that ask for the same. Where one of them does not fit, none does. */
export interface Shape {
  placer: Placer
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

interface Account {
  id: string
  /** GPU milliseconds by the weight, as charged; see {@link Turns.charge}. */
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

interface Entry {
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

function byKey(a: Entry, b: Entry): number {
  return a.key - b.key || (a.job.id < b.job.id ? -1 : 1)
}

/**
 * Whose turn it is. Under every policy a job's key is set once, when it comes: what ages is the rest of the world, all
 * of it at one rate, so the order of two jobs never changes and nobody starves behind those that come later.
 */
export class Turns {
  readonly #projects = new Map<string, ProjectAccount>()
  readonly #flows = new Map<string, Flow>()

  constructor(
    readonly policy: Policy,
    shares: readonly ProjectShare[],
    /** From here on, use is charged at a growing rate instead of decaying: what counts is only how they compare. */
    private readonly since: number,
  ) {
    for (const { id, userUsage, ...share } of shares) {
      const users = new Map(userUsage.map(({ userId, usage }) => [userId, { id: userId, usage }]))
      this.#projects.set(id, { id, ...share, usage: share.usage / share.weight, heldMilli: 0, users })
    }
  }

  project(id: string): ProjectAccount {
    const known = this.#projects.get(id)
    if (known) return known
    const users = new Map<string, Account>()
    const fresh = { id, weight: 1, quotaMilli: null, exhausted: false, usage: 0, heldMilli: 0, users }
    this.#projects.set(id, fresh)
    return fresh
  }

  flow({ projectId, userId }: JobFacts): Flow {
    const fair = this.policy.name === 'fair_share'
    const project = this.project(projectId)
    const limited = project.quotaMilli !== null || project.exhausted
    const key = fair ? `${projectId} ${userId}` : limited ? projectId : ''
    const flow = this.#flows.get(key) ?? { project, user: accountOf(project, userId), bins: [] }
    this.#flows.set(key, flow)
    return flow
  }

  /** The queue whose first job is next, of the bins that `isIn`. */
  first(isIn: (shape: Shape) => boolean): Queue | null {
    let first: Queue | null = null
    for (const flow of this.#flows.values()) {
      // Under fair_share one flow goes before another whatever its jobs are.
      if (first && first.bin.tier === 0 && this.#byUse(first.bin.flow, flow) < 0) continue
      for (const bin of flow.bins) {
        if (!isIn(bin.shape)) continue
        const queue = bin.first()
        if (!queue || this.isOverQuota(flow, queue.head?.job)) continue
        if (!first || this.compare(queue, first) < 0) first = queue
      }
    }
    return first
  }

  /** A job's place among those of its flow: smaller goes first. */
  keyOf(job: WaitingJob): number {
    const { name, ageingMs } = this.policy
    if (name === 'fcfs') return job.submittedAt
    // Twice as long is a step of ageing later.
    if (name === 'sjf') return job.submittedAt + ageingMs * Math.log2(Math.max(1, job.expectedMs / 1000))
    return job.submittedAt - ageingMs * job.priority
  }

  /** Which queue's first job goes first. */
  compare(a: Queue, b: Queue): number {
    const byTurn = a.bin.tier - b.bin.tier || this.#byUse(a.bin.flow, b.bin.flow)
    if (byTurn !== 0) return byTurn
    const [first, second] = [a.head, b.head]
    return first && second ? byKey(first, second) : first ? -1 : 1
  }

  #byUse(a: Flow, b: Flow): number {
    if (a === b || this.policy.name !== 'fair_share') return 0
    return a.project.usage - b.project.usage || a.user.usage - b.user.usage
  }

  /** Counts the time that a job is expected to hold its GPUs from `now` on. */
  charge(job: JobFacts, now: number, milliseconds: number): void {
    const growth = 2 ** ((now - this.since) / this.policy.halfLifeMs)
    const amount = growth * milliseconds * Math.max(gpuMilliOf(job) / 1000, leastGpus)
    const project = this.project(job.projectId)
    project.usage += amount / project.weight
    accountOf(project, job.userId).usage += amount
  }

  /** Whether the project may not hold as much more as the job asks for. */
  isOverQuota({ project }: Flow, job: JobFacts | undefined): boolean {
    if (project.exhausted) return true
    return (
      job !== undefined &&
      project.quotaMilli !== null &&
      project.heldMilli + gpuMilliOf(job) > project.quotaMilli
    )
  }
}

/** Jobs about as long as each other: within a factor of 1.4. */
function lengthClass(milliseconds: number): number {
  return Math.round(2 * Math.log2(Math.max(1, milliseconds)))
}

/** A job without GPUs takes something, too. */
const leastGpus = 0.05

function accountOf(project: ProjectAccount, userId: string): Account {
  const account = project.users.get(userId) ?? { id: userId, usage: 0 }
  project.users.set(userId, account)
  return account
}

/** Thousandths of GPUs that a job holds on all its nodes. */
export function gpuMilliOf({ request }: JobFacts): number {
  return request.gpuCount * request.gpuMilli * request.instances
}
