import { Bin } from './duration-bucket'
import type { Placer } from './placer'
import { gpuMilliOf, type Turns } from './queue-heads'
import {
  type Claim,
  compareTurns,
  type ProjectAccount,
  type Queue,
  type QuotaKeeper,
  type ShapeState,
  type Standing,
} from './queues'
import type { Openings } from './reservation'
import type { WaitingJob } from './types'

/** A shape and who waits with it. */
export class Shape implements ShapeState {
  blocked = false
  hopeless = false
  longestMs = Number.POSITIVE_INFINITY
  readonly #bins = new Map<ProjectAccount, Bin>()
  /** Those whose projects have used least first, as of so many charges. */
  #inOrder: Bin[] = []
  #charges = 0

  constructor(
    readonly placer: Placer,
    readonly openings: Openings,
    private readonly turns: Turns,
  ) {}

  /** Puts a job into one of its queues. */
  add(job: WaitingJob): Queue {
    const flow = this.turns.flow(job)
    return this.#binOf(flow.project).add(job, flow)
  }

  first(): Claim | null {
    return this.#firstOf((bin) => bin.first(this.longestMs))
  }

  firstWithin(quotas: QuotaKeeper): Claim | null {
    return this.#firstOf((bin) => {
      const first = bin.first(this.longestMs)
      const kept = first && quotas.keptOf(bin.project)
      if (!kept || gpuMilliOf(this.placer) <= kept.spareMilli) return first
      if (compareTurns(this.turns.claimOf(first), kept.claim) <= 0) return first
      return bin.first(Math.min(this.longestMs, kept.longestMs))
    })
  }

  #firstOf(find: (bin: Bin) => Standing | null): Claim | null {
    this.#sort()
    let first: Claim | null = null
    for (const bin of this.#inOrder) {
      if (first && this.turns.usageOf(bin.project) > first.projectUsage) break
      const standing = find(bin)
      const claim = standing && this.turns.claimOf(standing)
      if (claim && (!first || compareTurns(claim, first) < 0)) first = claim
    }
    return first
  }

  #binOf(project: ProjectAccount): Bin {
    const known = this.#bins.get(project)
    if (known) return known
    const bin = new Bin(this, project, this.turns)
    this.#bins.set(project, bin)
    if (project.quotaMilli !== null) project.bins.push(bin)
    this.#inOrder.push(bin)
    this.#charges = -1
    return bin
  }

  #sort(): void {
    const { turns } = this
    if (this.#charges === turns.charges) return
    this.#inOrder.sort((a, b) => turns.usageOf(a.project) - turns.usageOf(b.project))
    this.#charges = turns.charges
  }
}
