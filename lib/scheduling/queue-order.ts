import type {
  Account,
  Candidate,
  GpuQuota,
  HeldGpus,
  ProjectAccount,
  QueueGroup,
  QueueHead,
  QueuePosition,
  QuotaGroup,
  ShareKey,
} from './queues'
import type { JobFacts, Policy, ProjectShare, ResourceRequest, TokenLimit, WaitingJob } from './types'

/**
 * The order of waiting jobs. Under every policy the key of a job is computed once, when the job arrives. All waiting
 * jobs age at the same rate, so the order of two jobs never changes and later jobs cannot starve earlier ones.
 */
export class QueueOrder {
  readonly #projects = new Map<string, ProjectAccount>()
  readonly #users = new Map<string, HeldGpus>()
  /** Those with a limit. */
  readonly #tokens = new Map<string, TokenLimit & { held: HeldGpus }>()
  readonly #groups = new Map<string, QuotaGroup>()
  readonly #shareKeys = new Map<string, ShareKey>()
  /** The job that precedes all others; null: none. */
  promotedId: string | null = null
  readonly #queueGroups = new Map<QuotaGroup, QueueGroup[]>()

  constructor(
    readonly policy: Policy,
    shares: readonly ProjectShare[],
    /**
     * Usage after this time is charged at a growing rate. This is equivalent to decaying older usage, because
     * only the relation of usages matters.
     */
    private readonly since: number,
    tokenLimits: readonly TokenLimit[] = [],
  ) {
    for (const limit of tokenLimits) this.#tokens.set(limit.tokenId, { ...limit, held: noGpus() })
    for (const { id, userUsage, userLimits: limits, ...share } of shares) {
      const users = new Map(userUsage.map(({ userId, usage }) => [userId, { usage }]))
      const userLimits = new Map(limits.map(({ userId, milli }) => [userId, milli]))
      const usage = share.usage / share.weight
      this.#projects.set(id, { ...share, ...noGpus(), usage, users, userLimits })
    }
  }

  project(id: string): ProjectAccount {
    const existing = this.#projects.get(id)
    if (existing) return existing
    const unlimited = { quotaMilli: null, userLimits: new Map<string, number>() }
    const fresh = { ...noGpus(), ...unlimited, weight: 1, usage: 0, users: new Map<string, Account>() }
    this.#projects.set(id, fresh)
    return fresh
  }

  shareKey(job: JobFacts): ShareKey {
    const { projectId, userId } = job
    const isFairShare = this.policy.name === 'fair_share'
    const project = this.project(projectId)
    const isAlone = isFairShare || project.quotaMilli !== null
    const limitMilli = project.userLimits.get(userId)
    const ofUser = limitMilli === undefined ? '' : `${userId} ${limitMilli}`
    const ofToken = this.#tokenOf(job)?.tokenId ?? ''
    const isPromoted = job.id === this.promotedId
    const groupKey = `${isAlone ? projectId : ''} ${ofUser} ${ofToken}${isPromoted ? ' promoted' : ''}`
    const key = isFairShare ? `${groupKey} ${userId}` : groupKey
    const existing = this.#shareKeys.get(key)
    if (existing) return existing
    const group = this.#groups.get(groupKey) ?? { project, isPromoted, quotas: this.#quotasOf(job) }
    const shareKey = { group, user: isFairShare ? accountOf(project, userId) : { usage: 0 } }
    this.#groups.set(groupKey, group)
    this.#shareKeys.set(key, shareKey)
    return shareKey
  }

  /** Returns the queue group of the jobs with a request. */
  queueGroupOf(group: QuotaGroup, request: ResourceRequest): QueueGroup {
    const tier = tierOf({ request }, group)
    const known = this.#queueGroups.get(group) ?? []
    const existing = known.find((one) => one.tier === tier)
    if (existing) return existing
    const fresh = { tier, group, queues: [] }
    this.#queueGroups.set(group, [...known, fresh])
    return fresh
  }

  get queueGroups(): QueueGroup[] {
    return [...this.#queueGroups.values()].flat()
  }

  /** The GPUs held by the jobs of the same project, of the same user, and of the same token if it has a limit. */
  heldWith(job: JobFacts): HeldGpus[] {
    const token = this.#tokenOf(job)
    return [this.project(job.projectId), this.#user(job.userId), ...(token ? [token.held] : [])]
  }

  #user(userId: string): HeldGpus {
    const user = this.#users.get(userId) ?? noGpus()
    this.#users.set(userId, user)
    return user
  }

  #tokenOf({ tokenId }: JobFacts) {
    return tokenId == null ? undefined : this.#tokens.get(tokenId)
  }

  #quotasOf(job: JobFacts): GpuQuota[] {
    const project = this.project(job.projectId)
    const { quotaMilli, userLimits } = project
    const quotas: GpuQuota[] = []
    if (quotaMilli !== null) quotas.push({ reason: 'quota', milli: quotaMilli, held: project })
    const limitMilli = userLimits.get(job.userId)
    if (limitMilli !== undefined)
      quotas.push({ reason: 'max_concurrent_gpus', milli: limitMilli, held: this.#user(job.userId) })
    const token = this.#tokenOf(job)
    if (token)
      quotas.push({ reason: 'token_max_gpus', milli: token.milli, held: token.held, token: token.name })
    return quotas
  }

  /** Returns the order of a job within its share key; smaller goes first. */
  keyOf(job: WaitingJob): number {
    const { name, ageingMs } = this.policy
    if (name === 'fcfs') return job.submittedAt
    // Each doubling of the expected duration counts like one ageing interval.
    if (name === 'sjf') return job.submittedAt + ageingMs * Math.log2(Math.max(1, job.expectedMs / 1000))
    return job.submittedAt - ageingMs * job.priority
  }

  positionOf(job: WaitingJob): QueuePosition {
    const { group, user } = this.shareKey(job)
    const projectUsage = this.usageOf(group)
    return { tier: tierOf(job, group), projectUsage, userUsage: user.usage, key: this.keyOf(job), id: job.id }
  }

  candidateOf({ queue, head: { job, key }, userUsage }: QueueHead): Candidate {
    const { group } = queue.shareKey
    const projectUsage = this.usageOf(group)
    return { queue, tier: tierOf(job, group), projectUsage, userUsage, key, id: job.id }
  }

  /** The usage of a project as far as it affects the order; 0 except under fair_share. */
  usageOf({ project, isPromoted }: QuotaGroup): number {
    return this.policy.name === 'fair_share' && !isPromoted ? project.usage : 0
  }

  /** Charges the GPU time that a job is expected to use from `now` on. */
  charge(job: JobFacts, now: number, milliseconds: number): void {
    const project = this.project(job.projectId)
    const amount = this.chargeProject(job, now, milliseconds) * project.weight
    accountOf(project, job.userId).usage += amount
  }

  /** As {@link charge}, without the user. Returns the added usage by weight. */
  chargeProject(job: JobFacts, now: number, milliseconds: number): number {
    const growth = 2 ** ((now - this.since) / this.policy.halfLifeMs)
    const project = this.project(job.projectId)
    const amount = (growth * milliseconds * Math.max(gpuMilliOf(job) / 1000, minChargedGpus)) / project.weight
    project.usage += amount
    return amount
  }

  /** Takes back a charge of {@link chargeProject}. */
  refundProject({ projectId }: JobFacts, amount: number): void {
    this.project(projectId).usage -= amount
  }
}

/** Returns the quota that the request would exceed. A request without GPUs exceeds none. */
export function exceededQuota({ quotas }: QuotaGroup, request: ResourceRequest): GpuQuota | null {
  if (quotas.length === 0) return null
  const gpuMilli = gpuMilliOf({ request })
  if (gpuMilli === 0) return null
  return quotas.find(({ milli, held }) => held.heldMilli + gpuMilli > milli) ?? null
}

function noGpus(): HeldGpus {
  return { heldMilli: 0, holders: new Map(), queues: [] }
}

/** A job without GPUs is charged as this many GPUs. */
const minChargedGpus = 0.05

function accountOf(project: ProjectAccount, userId: string): Account {
  const account = project.users.get(userId) ?? { usage: 0 }
  project.users.set(userId, account)
  return account
}

function tierOf({ request }: Pick<JobFacts, 'request'>, { isPromoted }: QuotaGroup): QueuePosition['tier'] {
  if (isPromoted) return -1
  return request.pool === 'best-effort' ? 1 : 0
}

/** Thousandths of GPUs that a job holds on all its nodes. */
export function gpuMilliOf({ request }: Pick<JobFacts, 'request'>): number {
  return request.gpuCount * request.gpuMilli * request.instances
}
