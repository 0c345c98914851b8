import { Heap } from '../heap'
import { exceededQuota, gpuMilliOf, type QueueOrder } from '../queue-order'
import type { Queue, QuotaGroup } from '../queues'
import type { JobFacts, WaitingJob } from '../types'

/** A job that has waited for so long may precede all others. */
const longWaitMs = 24 * 3_600_000

/** No job precedes all others while jobs that waited for long hold more than this part of the GPUs. */
const maxPromotedPart = 1 / 2

/** What a promotion needs from the scheduler. */
interface PromotionHost {
  queueOrder: QueueOrder
  waiting: ReadonlyMap<string, { job: WaitingJob; queue: Queue | null }>
  /** Moves a waiting job to the queue to which it now belongs. */
  requeue(job: WaitingJob): void
}

/**
 * Bounds the waits under fair_share. A project that uses more than its share comes after all others, so its large jobs
 * could wait for weeks. Once a job has waited for a day (or the half-life of usage, if that is shorter), it may precede all
 * others: one job at a time, and only as long as jobs that waited as long hold a part of the GPUs. If several projects have such a job, the
 * project that used the least of its share is next, so that the shares of a busy cluster stay as the weights say.
 */
export class Promotion {
  /** The waiting jobs with the same quotas, the oldest first. */
  readonly #oldest = new Map<QuotaGroup, Heap<WaitingJob>>()
  /** Thousandths of GPUs of the running jobs that waited for so long. */
  #heldMilli = 0

  readonly #waitMs: number

  constructor(
    halfLifeMs: number,
    private readonly totalMilli: number,
  ) {
    this.#waitMs = Math.min(halfLifeMs, longWaitMs)
  }

  /** Adds a job that waits, with its quotas. */
  add(job: WaitingJob, group: QuotaGroup): void {
    if (job.request.pool === 'best-effort') return
    const own = this.#oldest.get(group) ?? new Heap<WaitingJob>(compareAges)
    this.#oldest.set(group, own)
    own.push(job)
  }

  /** Counts a job that starts, or with sign -1 one that ends. */
  count(job: JobFacts, startedAt: number, sign: 1 | -1): void {
    if (startedAt - job.submittedAt >= this.#waitMs) this.#heldMilli += sign * gpuMilliOf(job)
  }

  /** Determines which job precedes all others, and moves it to the front. */
  update(now: number, host: PromotionHost): void {
    const { queueOrder, waiting } = host
    const promoted = this.#select(now, host)
    const before = waiting.get(queueOrder.promotedId ?? '')?.job
    if (queueOrder.promotedId === (promoted?.id ?? null)) return
    queueOrder.promotedId = promoted?.id ?? null
    for (const job of [before, promoted]) if (job) host.requeue(job)
  }

  #select(now: number, { waiting }: PromotionHost): WaitingJob | null {
    if (this.#heldMilli > maxPromotedPart * this.totalMilli) return null
    let selected: { job: WaitingJob; usage: number } | null = null
    for (const [group, own] of this.#oldest) {
      const { usage } = group.project
      if (selected && usage > selected.usage) continue
      for (let job = own.first; job && now - job.submittedAt >= this.#waitMs; job = own.first) {
        if (selected && usage === selected.usage && compareAges(job, selected.job) >= 0) break
        const requestClass = waiting.get(job.id)?.queue?.projectQueue.requestClass
        if (requestClass && !requestClass.unschedulable && requestClass.earliestStarts.reserve(now)) {
          if (!waitsForOwnJobs(job, group)) selected = { job, usage }
          break
        }
        own.pop()
      }
    }
    return selected?.job ?? null
  }

  /** Returns the time after `now` at which a job will have waited long enough; infinite if there is none. */
  nextAt(now: number): number {
    let next = Number.POSITIVE_INFINITY
    for (const { first } of this.#oldest.values()) {
      const at = (first?.submittedAt ?? Number.POSITIVE_INFINITY) + this.#waitMs
      if (at > now) next = Math.min(next, at)
    }
    return next
  }
}

/** Whether only the end of a job of the same user or token lets a job start. Nobody else's job should wait for that. */
function waitsForOwnJobs({ request }: WaitingJob, group: QuotaGroup): boolean {
  const exceeded = exceededQuota(group, request)
  return exceeded !== null && exceeded.reason !== 'quota'
}

function compareAges(a: WaitingJob, b: WaitingJob): number {
  return a.submittedAt - b.submittedAt || (a.id < b.id ? -1 : 1)
}
