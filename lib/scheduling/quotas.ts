import { gpuMilliOf, type QueueOrder } from './queue-order'
import { comparePositions, type KeptQuota, type ProjectAccount, type QuotaKeeper } from './queues'

/**
 * Keeps each project's quota for the first of its jobs that cannot start, as a pass keeps room on the nodes: else small jobs
 * would take what they give back to the quota again and again, and a large one would wait for the last of them. Holds for
 * how things stand when it is made.
 */
export class Quotas implements QuotaKeeper {
  readonly #kept = new Map<ProjectAccount, KeptQuota | null>()

  constructor(
    private readonly queueOrder: QueueOrder,
    private readonly now: number,
  ) {}

  keptOf(project: ProjectAccount): KeptQuota | null {
    const known = this.#kept.get(project)
    if (known !== undefined) return known
    const kept =
      project.exhausted || project.quotaMilli === null ? null : this.#keep(project, project.quotaMilli)
    this.#kept.set(project, kept)
    return kept
  }

  #keep(project: ProjectAccount, quotaMilli: number): KeptQuota | null {
    const { queueOrder, now } = this
    const candidates = project.buckets.flatMap((bucket) => {
      const { requestClass } = bucket
      const waits =
        queueOrder.isOverQuota(project, requestClass.placer.request) ||
        (requestClass.blocked && !requestClass.unschedulable)
      const head = waits ? bucket.head() : null
      return head ? queueOrder.candidateOf(head) : []
    })
    for (const candidate of candidates.sort(comparePositions)) {
      const { requestClass } = candidate.queue.bucket
      const leftMilli = quotaMilli - gpuMilliOf(requestClass.placer)
      const room = leftMilli < 0 ? null : requestClass.earliestStarts.reserve(now)
      if (!room) continue
      const at = Math.max(room.at, timeWhenHeld(project, leftMilli, now))
      if (!queueOrder.policy.backfill) return { candidate, longestMs: -1, spareMilli: -1 }
      return { candidate, longestMs: at - now, spareMilli: leftMilli - heldAfter(project, at) }
    }
    return null
  }
}

/** When the project holds so much at most, going by when its jobs are expected to end. */
function timeWhenHeld({ holders, heldMilli }: ProjectAccount, most: number, now: number): number {
  let held = heldMilli
  if (held <= most) return now
  for (const { endsAt, milli } of [...holders.values()].sort((a, b) => a.endsAt - b.endsAt)) {
    held -= milli
    if (held <= most) return Math.max(endsAt, now)
  }
  return Number.POSITIVE_INFINITY
}

function heldAfter({ holders }: ProjectAccount, at: number): number {
  let held = 0
  for (const { endsAt, milli } of holders.values()) if (endsAt > at) held += milli
  return held
}
