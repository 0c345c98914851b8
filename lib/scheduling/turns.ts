import { type Account, byKey, type Flow, Line, type ProjectAccount, type Queue, type Shape } from './queues'
import type { JobFacts, Policy, ProjectShare, WaitingJob } from './types'

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

  /**
   * The queue whose first job is next, of the bins that `isIn`.
   *
   * @param lines the flows' bins in their order, as found before and where nothing but less can have come of them since.
   */
  first(isIn: (shape: Shape) => boolean, lines = new Map<Flow, Line>()): Queue | null {
    let first: Queue | null = null
    for (const flow of this.#flows.values()) {
      // Under fair_share one flow goes before another whatever its jobs are.
      if (first && first.bin.tier === 0 && this.#byUse(first.bin.flow, flow) < 0) continue
      const line = lines.get(flow) ?? new Line(flow.bins.filter(({ shape }) => isIn(shape)))
      lines.set(flow, line)
      const queue = line.first((bin, { job }) => isIn(bin.shape) && !this.isOverQuota(flow, job))
      if (queue && (!first || this.compare(queue, first) < 0)) first = queue
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

  /** What decides about a job's turn, the first first. */
  turnOf(job: WaitingJob): readonly number[] {
    const { project, user } = this.flow(job)
    const uses = this.policy.name === 'fair_share' ? [project.usage, user.usage] : [0, 0]
    return [tierOf(job), ...uses, this.keyOf(job)]
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
  isOverQuota({ project }: Flow, job: JobFacts): boolean {
    if (project.exhausted) return true
    return (
      job !== undefined &&
      project.quotaMilli !== null &&
      project.heldMilli + gpuMilliOf(job) > project.quotaMilli
    )
  }
}

/** A job without GPUs takes something, too. */
const leastGpus = 0.05

function accountOf(project: ProjectAccount, userId: string): Account {
  const account = project.users.get(userId) ?? { id: userId, usage: 0 }
  project.users.set(userId, account)
  return account
}

/** 1 for jobs that take only what is left. */
export function tierOf({ request }: JobFacts): 0 | 1 {
  return request.pool === 'best-effort' ? 1 : 0
}

export function compareTurns(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((each, i) => each !== b[i])
  return differs === -1 ? 0 : (a[differs] ?? 0) - (b[differs] ?? 0)
}

/** Thousandths of GPUs that a job holds on all its nodes. */
export function gpuMilliOf({ request }: JobFacts): number {
  return request.gpuCount * request.gpuMilli * request.instances
}
