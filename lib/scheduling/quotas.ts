import { gpuMilliOf, type Turns } from './queue-heads'
import { compareTurns, type KeptQuota, type ProjectAccount, type QuotaKeeper } from './queues'

/**
 * Keeps each project's quota for the first of its jobs that cannot start, as a pass keeps room on the nodes: else small jobs
 * would take what they give back to the quota again and again, and a large one would wait for the last of them. Holds for
 * how things stand when it is made.
 */
export class Quotas implements QuotaKeeper {
  readonly #kept = new Map<ProjectAccount, KeptQuota | null>()

  constructor(
    private readonly turns: Turns,
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
    const { turns, now } = this
    const claims = project.bins.flatMap((bin) => {
      const { shape } = bin
      const waits = turns.isOverQuota(project, shape.placer.request) || (shape.blocked && !shape.hopeless)
      const head = waits ? bin.head() : null
      return head ? turns.claimOf(head) : []
    })
    for (const claim of claims.sort(compareTurns)) {
      const { shape } = claim.queue.bin
      const leftMilli = quotaMilli - gpuMilliOf(shape.placer)
      const room = leftMilli < 0 ? null : shape.openings.reserve(now)
      if (!room) continue
      const at = Math.max(room.at, timeWhenHeld(project, leftMilli, now))
      if (!turns.policy.backfill) return { claim, longestMs: -1, spareMilli: -1 }
      return { claim, longestMs: at - now, spareMilli: leftMilli - heldAfter(project, at) }
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
