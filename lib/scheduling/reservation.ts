import { isFree, needOn } from './capacity'
import type { Cluster } from './cluster'
import type { NodeLedger } from './node-ledger'
import type { ResourceRequest, TaskPlacement } from './types'

/** Room kept for the first job that cannot start: when it will start, and where. */
export interface Reservation {
  at: number
  nodes: ReadonlySet<NodeLedger>
  request: ResourceRequest
}

const never = Number.POSITIVE_INFINITY

interface Opening {
  node: NodeLedger
  at: number
}

/**
 * When a request fits on each node, going by when those that run are expected to end. What was found out about a node
 * holds until the node changes, whatever the time.
 */
export class EarliestStarts {
  /** By the node's position. Minus infinity: as soon as those have gone that were told to. */
  readonly #at: number[] = []
  #mark = 0

  constructor(
    private readonly request: ResourceRequest,
    private readonly cluster: Cluster,
  ) {}

  /**
   * The earliest time at which the request can start; null when all that runs ending would not be enough. This is the
   * reservation of EASY backfilling (Lifka, "The ANL/IBM SP Scheduling System", JSSPP 1995): the first blocked job has
   * one, and none that is placed later may move it.
   */
  reserve(now: number): Reservation | null {
    this.#catchUp()
    const { request } = this
    const best: Opening[] = []
    for (const node of this.cluster.nodes) {
      const at = Math.max(this.#at[node.position] ?? never, now)
      const worst = best.length < request.instances ? null : best.at(-1)
      if (at === never || (worst && at > worst.at)) continue
      best.push({ node, at })
      best.sort((a, b) => this.#compare(a, b, now))
      best.length = Math.min(best.length, request.instances)
    }
    const last = best[request.instances - 1]
    return last ? { at: last.at, nodes: new Set(best.map(({ node }) => node)), request } : null
  }

  /** A single one goes where jobs end first; several may wait for the last of their nodes. */
  #compare(a: Opening, b: Opening, now: number): number {
    const byTime = a.at - b.at
    if (byTime !== 0 || this.request.instances > 1) return byTime || a.node.position - b.node.position
    const byNextEnd = Math.max(a.node.nextEnd, now) - Math.max(b.node.nextEnd, now)
    return byNextEnd || a.node.position - b.node.position
  }

  #catchUp(): void {
    for (const node of this.cluster.changedSince(this.#mark)) {
      this.#at[node.position] = opensAt(this.request, node)
    }
    this.#mark = this.cluster.mark
  }
}

function opensAt(request: ResourceRequest, node: NodeLedger): number {
  const need = needOn(request, node)
  if (!need) return never
  const room = node.roomWithout(({ leaving }) => leaving)
  if (isFree(need, room)) return Number.NEGATIVE_INFINITY
  for (const { task, endsAt } of node.inOrderOfEnds()) {
    node.give(room, task)
    if (isFree(need, room)) return endsAt
  }
  return never
}

/** Whether a task that would run until `endsAt` leaves the reservation its room at its time. */
export function leavesCapacity(
  { at, nodes, request }: Reservation,
  node: NodeLedger,
  task: Omit<TaskPlacement, 'rank'>,
  endsAt: number,
): boolean {
  if (!nodes.has(node) || endsAt <= at) return true
  const then = node.roomWithout((tenant) => tenant.leaving || tenant.endsAt <= at)
  node.give(then, task, -1)
  const need = needOn(request, node)
  return need !== null && isFree(need, then)
}

/**
 * The jobs of best effort that have to go for a request to fit, with the least work lost; null when that is not
 * enough, and none when the room is free or already on its way.
 */
export function findVictims(
  request: ResourceRequest,
  nodes: readonly NodeLedger[],
  now: number,
): string[] | null {
  const ways = nodes.flatMap((node) => wayOn(request, node, now) ?? [])
  if (ways.length < request.instances) return null
  ways.sort((a, b) => a.lost - b.lost || a.node.position - b.node.position)
  return [...new Set(ways.slice(0, request.instances).flatMap(({ jobIds }) => jobIds))]
}

function wayOn(
  request: ResourceRequest,
  node: NodeLedger,
  now: number,
): { node: NodeLedger; lost: number; jobIds: string[] } | null {
  const need = needOn(request, node)
  if (!need) return null
  const room = node.roomWithout(({ leaving }) => leaving)
  const candidates = [...node.occupants]
    .filter(([, { preemptible, leaving }]) => preemptible && !leaving)
    .sort(([, a], [, b]) => b.startedAt - a.startedAt)
  const jobIds: string[] = []
  let lost = 0
  for (const [jobId, { task, startedAt }] of candidates) {
    if (isFree(need, room)) break
    node.give(room, task)
    jobIds.push(jobId)
    lost += now - startedAt
  }
  return isFree(need, room) ? { node, lost, jobIds } : null
}
