import {
  type Account,
  type Candidate,
  comparePositions,
  type ProjectAccount,
  type Queue,
  type QueueHead,
  type QueuePosition,
  type ShareKey,
} from './queues'
import type { JobFacts, Policy, ProjectShare, ResourceRequest, WaitingJob } from './types'

/**
 * Whose turn it is. Under every policy a job's key is set once, when it comes: what ages is the rest of the world, all
 * of it at one rate, so the order of two jobs never changes and nobody starves behind those that come later.
 */
export class QueueOrder {
  readonly #projects = new Map<string, ProjectAccount>()
  readonly #shareKeys = new Map<string, ShareKey>()
  /** How often a use was raised: what goes by uses holds until then. */
  charges = 0

  constructor(
    readonly policy: Policy,
    shares: readonly ProjectShare[],
    /** From here on, use is charged at a growing rate instead of decaying: what counts is only how they compare. */
    private readonly since: number,
  ) {
    for (const { id, userUsage, ...share } of shares) {
      const users = new Map(userUsage.map(({ userId, usage }) => [userId, { id: userId, usage }]))
      const usage = share.usage / share.weight
      this.#projects.set(id, { id, ...share, usage, heldMilli: 0, holders: new Map(), buckets: [], users })
    }
  }

  project(id: string): ProjectAccount {
    const known = this.#projects.get(id)
    if (known) return known
    const users = new Map<string, Account>()
    const unused = { usage: 0, heldMilli: 0, holders: new Map(), buckets: [], users }
    const fresh = { id, weight: 1, quotaMilli: null, exhausted: false, ...unused }
    this.#projects.set(id, fresh)
    return fresh
  }

  shareKey({ projectId, userId }: JobFacts): ShareKey {
    const fair = this.policy.name === 'fair_share'
    const project = this.project(projectId)
    const limited = project.quotaMilli !== null || project.exhausted
    const key = fair ? `${projectId} ${userId}` : limited ? projectId : ''
    const shareKey = this.#shareKeys.get(key) ?? {
      project,
      user: fair ? accountOf(project, userId) : nobody(),
    }
    this.#shareKeys.set(key, shareKey)
    return shareKey
  }

  /** A job's place among those of its share key: smaller goes first. */
  keyOf(job: WaitingJob): number {
    const { name, ageingMs } = this.policy
    if (name === 'fcfs') return job.submittedAt
    // Twice as long is a step of ageing later.
    if (name === 'sjf') return job.submittedAt + ageingMs * Math.log2(Math.max(1, job.expectedMs / 1000))
    return job.submittedAt - ageingMs * job.priority
  }

  positionOf(job: WaitingJob): QueuePosition {
    const { project, user } = this.shareKey(job)
    const projectUsage = this.usageOf(project)
    return { tier: tierOf(job), projectUsage, userUsage: user.usage, key: this.keyOf(job), id: job.id }
  }

  candidateOf({ queue, head: { job, key }, userUsage }: QueueHead): Candidate {
    const projectUsage = this.usageOf(queue.shareKey.project)
    return { queue, tier: tierOf(job), projectUsage, userUsage, key, id: job.id }
  }

  /** Whether a queue's first job goes before another's. */
  goesBefore(a: Queue, b: Queue): boolean {
    const [first, second] = [a.stand(), b.stand()]
    return (
      first !== null && (!second || comparePositions(this.candidateOf(first), this.candidateOf(second)) < 0)
    )
  }

  /** What counts of a project's use for whose turn it is. */
  usageOf({ usage }: ProjectAccount): number {
    return this.policy.name === 'fair_share' ? usage : 0
  }

  /** Counts the time that a job is expected to hold its GPUs from `now` on. */
  charge(job: JobFacts, now: number, milliseconds: number): void {
    this.charges += 1
    const growth = 2 ** ((now - this.since) / this.policy.halfLifeMs)
    const amount = growth * milliseconds * Math.max(gpuMilliOf(job) / 1000, leastGpus)
    const project = this.project(job.projectId)
    project.usage += amount / project.weight
    accountOf(project, job.userId).usage += amount
  }

  /** Whether the project may not hold as much more as the request asks for. */
  isOverQuota({ exhausted, quotaMilli, heldMilli }: ProjectAccount, request: ResourceRequest): boolean {
    if (exhausted || quotaMilli === null) return exhausted
    return heldMilli + gpuMilliOf({ request }) > quotaMilli
  }
}

/** A job without GPUs takes something, too. */
const leastGpus = 0.05

function nobody(): Account {
  return { id: '', usage: 0 }
}

function accountOf(project: ProjectAccount, userId: string): Account {
  const account = project.users.get(userId) ?? { id: userId, usage: 0 }
  project.users.set(userId, account)
  return account
}

/** 1 for jobs that take only what is left. */
function tierOf({ request }: JobFacts): 0 | 1 {
  return request.pool === 'best-effort' ? 1 : 0
}

/** Thousandths of GPUs that a job holds on all its nodes. */
export function gpuMilliOf({ request }: Pick<JobFacts, 'request'>): number {
  return request.gpuCount * request.gpuMilli * request.instances
}
