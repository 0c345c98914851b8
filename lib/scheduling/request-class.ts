import type { Placer } from './placer'
import { ProjectQueue } from './project-queue'
import { gpuMilliOf, type QueueOrder } from './queue-order'
import {
  type Candidate,
  comparePositions,
  type ProjectAccount,
  type Queue,
  type QueueHead,
  type QuotaReader,
  type RequestClassState,
} from './queues'
import type { EarliestStarts } from './reservation'
import type { WaitingJob } from './types'

/** A request class and its waiting jobs. */
export class RequestClass implements RequestClassState {
  blocked = false
  unschedulable = false
  longestMs = Number.POSITIVE_INFINITY
  readonly #queues = new Map<ProjectAccount, ProjectQueue>()
  /** Sorted by project usage, least first, as of `#charges`. */
  #byUsage: ProjectQueue[] = []
  #charges = 0

  constructor(
    readonly placer: Placer,
    readonly earliestStarts: EarliestStarts,
    private readonly queueOrder: QueueOrder,
  ) {}

  /** Adds a job to its queue. */
  add(job: WaitingJob): Queue {
    const shareKey = this.queueOrder.shareKey(job)
    return this.#queueOf(shareKey.project).add(job, shareKey)
  }

  first(): Candidate | null {
    return this.#firstOf((bucket) => bucket.first(this.longestMs))
  }

  firstWithin(quotas: QuotaReader): Candidate | null {
    return this.#firstOf((bucket) => {
      const first = bucket.first(this.longestMs)
      const reservation = first && quotas.reservationOf(bucket.project)
      if (!reservation || gpuMilliOf(this.placer) <= reservation.spareMilli) return first
      if (comparePositions(this.queueOrder.candidateOf(first), reservation.candidate) <= 0) return first
      return bucket.first(Math.min(this.longestMs, reservation.longestMs))
    })
  }

  #firstOf(find: (bucket: ProjectQueue) => QueueHead | null): Candidate | null {
    this.#sort()
    let first: Candidate | null = null
    for (const bucket of this.#byUsage) {
      if (first && this.queueOrder.usageOf(bucket.project) > first.projectUsage) break
      const head = find(bucket)
      const candidate = head && this.queueOrder.candidateOf(head)
      if (candidate && (!first || comparePositions(candidate, first) < 0)) first = candidate
    }
    return first
  }

  #queueOf(project: ProjectAccount): ProjectQueue {
    const known = this.#queues.get(project)
    if (known) return known
    const bucket = new ProjectQueue(this, project, this.queueOrder)
    this.#queues.set(project, bucket)
    if (project.quotaMilli !== null) project.buckets.push(bucket)
    this.#byUsage.push(bucket)
    this.#charges = -1
    return bucket
  }

  #sort(): void {
    const { queueOrder } = this
    if (this.#charges === queueOrder.charges) return
    this.#byUsage.sort((a, b) => queueOrder.usageOf(a.project) - queueOrder.usageOf(b.project))
    this.#charges = queueOrder.charges
  }
}
