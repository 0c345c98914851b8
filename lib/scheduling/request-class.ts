import { DurationBucket } from './duration-bucket'
import type { Placer } from './placer'
import { gpuMilliOf, type QueueOrder } from './queue-order'
import {
  type Candidate,
  comparePositions,
  type ProjectAccount,
  type Queue,
  type QueueHead,
  type QuotaKeeper,
  type RequestClassState,
} from './queues'
import type { EarliestStarts } from './reservation'
import type { WaitingJob } from './types'

/** A request class and who waits with it. */
export class RequestClass implements RequestClassState {
  blocked = false
  unschedulable = false
  longestMs = Number.POSITIVE_INFINITY
  readonly #buckets = new Map<ProjectAccount, DurationBucket>()
  /** Those whose projects have used least first, as of so many charges. */
  #inOrder: DurationBucket[] = []
  #charges = 0

  constructor(
    readonly placer: Placer,
    readonly earliestStarts: EarliestStarts,
    private readonly queueOrder: QueueOrder,
  ) {}

  /** Puts a job into one of its queues. */
  add(job: WaitingJob): Queue {
    const shareKey = this.queueOrder.shareKey(job)
    return this.#bucketOf(shareKey.project).add(job, shareKey)
  }

  first(): Candidate | null {
    return this.#firstOf((bucket) => bucket.first(this.longestMs))
  }

  firstWithin(quotas: QuotaKeeper): Candidate | null {
    return this.#firstOf((bucket) => {
      const first = bucket.first(this.longestMs)
      const kept = first && quotas.keptOf(bucket.project)
      if (!kept || gpuMilliOf(this.placer) <= kept.spareMilli) return first
      if (comparePositions(this.queueOrder.candidateOf(first), kept.candidate) <= 0) return first
      return bucket.first(Math.min(this.longestMs, kept.longestMs))
    })
  }

  #firstOf(find: (bucket: DurationBucket) => QueueHead | null): Candidate | null {
    this.#sort()
    let first: Candidate | null = null
    for (const bucket of this.#inOrder) {
      if (first && this.queueOrder.usageOf(bucket.project) > first.projectUsage) break
      const standing = find(bucket)
      const candidate = standing && this.queueOrder.candidateOf(standing)
      if (candidate && (!first || comparePositions(candidate, first) < 0)) first = candidate
    }
    return first
  }

  #bucketOf(project: ProjectAccount): DurationBucket {
    const known = this.#buckets.get(project)
    if (known) return known
    const bucket = new DurationBucket(this, project, this.queueOrder)
    this.#buckets.set(project, bucket)
    if (project.quotaMilli !== null) project.buckets.push(bucket)
    this.#inOrder.push(bucket)
    this.#charges = -1
    return bucket
  }

  #sort(): void {
    const { queueOrder } = this
    if (this.#charges === queueOrder.charges) return
    this.#inOrder.sort((a, b) => queueOrder.usageOf(a.project) - queueOrder.usageOf(b.project))
    this.#charges = queueOrder.charges
  }
}
