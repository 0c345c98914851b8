import type { Placer } from './placer'
import type { JobFacts, Policy, ProjectShare, WaitingJob } from './types'

/** Jobs that ask for the same. Where one of them does not fit, none does. */
export interface Shape {
  placer: Placer
  /** Fits nowhere, until a node gets room for it. */
  blocked: boolean
  /** Has fitted where room is kept for a job ahead of it. */
  heldBack: boolean
  /** Would not fit if all that runs had ended. */
  hopeless: boolean
  queues: Queue[]
}

/** Whose use counts together: a project with a quota, a user under fair_share, or everybody. */
export interface Flow {
  project: ProjectAccount
  user: Account
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

/** Jobs of one shape, one flow and about one length, in their order. */
export class Queue {
  #entries: Entry[] = []
  #first = 0
  readonly #gone = new Set<string>()
  /** Passed over until the end of this pass: room is kept for a job ahead. */
  held = false

  constructor(
    readonly shape: Shape,
    readonly flow: Flow,
    /** 1 for jobs that take only what is left. */
    readonly tier: 0 | 1,
  ) {}

  get head(): Entry | null {
    for (let entry = this.#entries[this.#first]; entry; entry = this.#entries[this.#first]) {
      if (!this.#gone.delete(entry.job.id)) return entry
      this.#first += 1
    }
    return null
  }

  /** Many at once; each one's place is found once all are there. */
  fill(entries: Entry[]): void {
    this.#entries.push(...entries)
    this.#entries.sort(byKey)
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
    this.#first += 1
    if (this.#first < 1024 || this.#first * 2 < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }

  withdraw(jobId: string): void {
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

  flow({ projectId, userId }: JobFacts): { key: string; flow: Flow } {
    const fair = this.policy.name === 'fair_share'
    const project = this.project(projectId)
    const limited = project.quotaMilli !== null || project.exhausted
    const key = fair ? `${projectId} ${userId}` : limited ? projectId : ''
    const flow = this.#flows.get(key) ?? { project, user: accountOf(project, userId) }
    this.#flows.set(key, flow)
    return { key, flow }
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
    const tier = a.tier - b.tier
    if (tier !== 0) return tier
    if (this.policy.name === 'fair_share' && a.flow !== b.flow) {
      const byProject = a.flow.project.usage - b.flow.project.usage
      if (byProject !== 0) return byProject
      const byUser = a.flow.user.usage - b.flow.user.usage
      if (byUser !== 0) return byUser
    }
    const [first, second] = [a.head, b.head]
    return first && second ? byKey(first, second) : first ? -1 : 1
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
  isOverQuota({ project }: Flow, job: JobFacts): boolean {
    if (project.exhausted) return true
    return project.quotaMilli !== null && project.heldMilli + gpuMilliOf(job) > project.quotaMilli
  }
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
