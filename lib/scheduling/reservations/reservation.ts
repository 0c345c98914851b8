import { type CapacityNeed, isFree, Needs, needOn } from '../capacity'
import type { Cluster } from '../cluster'
import type { NodeLedger } from '../node-ledger'
import type { ResourceRequest, TaskPlacement } from '../types'

/** Capacity that is reserved for a blocked job: when it will start, and on which nodes. */
export interface Reservation {
  at: number
  nodes: ReadonlySet<NodeLedger>
  request: ResourceRequest
}

const never = Number.POSITIVE_INFINITY
const noNodes: ReadonlySet<NodeLedger> = new Set()

interface EarliestStart {
  node: NodeLedger
  at: number
}

/**
 * The earliest start of a request on each node, based on the expected ends of running jobs. Cached until a
 * node changes.
 */
export class EarliestStarts {
  /** By node position. Minus infinity: fits once the jobs that are being preempted have ended. */
  readonly #at: number[] = []
  /** The changes of each node that its earliest start considers, by node position. */
  readonly #changes: number[] = []
  readonly #needs: Needs
  /** The nodes on which it fits now, as of a version of the cluster. */
  readonly #fitting = new Set<NodeLedger>()
  #version = 0

  constructor(
    private readonly request: ResourceRequest,
    private readonly cluster: Cluster,
  ) {
    this.#needs = new Needs(request)
  }

  /**
   * Returns the earliest start of the request, or null if it would not fit even if all running jobs ended.
   * This is the reservation of EASY backfilling (Lifka, "The ANL/IBM SP Scheduling System", JSSPP 1995): only
   * the first blocked job has one, and no later placement may delay it.
   */
  reserve(now: number, taken: ReadonlySet<NodeLedger> = noNodes): Reservation | null {
    const { request, cluster } = this
    const { nodes, nextEnds } = cluster
    this.#refresh()
    const best: EarliestStart[] = []
    let worstAt = never
    const consider = (node: NodeLedger) => {
      const at = Math.max(this.#startOn(node), now)
      if (at === never || at > worstAt || taken.has(node)) return
      best.push({ node, at })
      best.sort((a, b) => this.#compare(a, b, now))
      best.length = Math.min(best.length, request.instances)
      worstAt = best[request.instances - 1]?.at ?? never
    }
    for (const node of this.#fitting) consider(node)
    // On the others it fits when a job there ends, or later.
    for (let position = 0; position < nodes.length; position++) {
      if ((nextEnds[position] as number) > worstAt) continue
      const node = nodes[position] as NodeLedger
      if (!this.#fitting.has(node)) consider(node)
    }
    const last = best[request.instances - 1]
    return last ? { at: last.at, nodes: new Set(best.map(({ node }) => node)), request } : null
  }

  #refresh(): void {
    for (const node of this.cluster.changedSince(this.#version)) {
      const need = this.#needs.on(node)
      if (need && isFree(need, node.capacity)) this.#fitting.add(node)
      else this.#fitting.delete(node)
    }
    this.#version = this.cluster.version
  }

  /**
   * A single instance prefers the node whose jobs end first. Several instances wait for the last of their
   * nodes, so only the time matters.
   */
  #compare(a: EarliestStart, b: EarliestStart, now: number): number {
    const byTime = a.at - b.at
    if (byTime !== 0 || this.request.instances > 1) return byTime || a.node.position - b.node.position
    const byNextEnd = Math.max(a.node.nextEnd, now) - Math.max(b.node.nextEnd, now)
    return byNextEnd || a.node.position - b.node.position
  }

  #startOn(node: NodeLedger): number {
    const { position, changes } = node
    if (this.#changes[position] !== changes) {
      this.#at[position] = earliestStartOn(this.#needs.on(node), node)
      this.#changes[position] = changes
    }
    return this.#at[position] ?? never
  }
}

function earliestStartOn(need: CapacityNeed | null, node: NodeLedger): number {
  if (!need) return never
  const steps = node.capacityByTime()
  let low = 0
  // The free capacity only grows.
  for (let high = steps.length; low < high; ) {
    const middle = (low + high) >> 1
    const step = steps[middle]
    if (step && isFree(need, step.capacity)) high = middle
    else low = middle + 1
  }
  return steps[low]?.at ?? never
}

/** Checks whether a task that would run until `endsAt` leaves enough capacity for the reservation at its time. */
export function respectsReservation(
  { at, nodes, request }: Reservation,
  node: NodeLedger,
  task: Omit<TaskPlacement, 'rank'>,
  endsAt: number,
): boolean {
  if (!nodes.has(node) || endsAt <= at) return true
  const capacityThen = node.capacityAt(at)
  node.addTask(capacityThen, task, -1)
  const need = needOn(request, node)
  return need !== null && isFree(need, capacityThen)
}

/**
 * Selects the best-effort jobs to preempt so that a request fits, with the least lost work. Returns null if
 * preemption cannot free enough, and an empty list if the capacity is free or already being freed.
 */
export function findVictims(
  request: ResourceRequest,
  nodes: readonly NodeLedger[],
  now: number,
): string[] | null {
  const options = nodes.flatMap((node) => victimsOn(request, node, now) ?? [])
  if (options.length < request.instances) return null
  options.sort((a, b) => a.lostMs - b.lostMs || a.node.position - b.node.position)
  return [...new Set(options.slice(0, request.instances).flatMap(({ jobIds }) => jobIds))]
}

function victimsOn(
  request: ResourceRequest,
  node: NodeLedger,
  now: number,
): { node: NodeLedger; lostMs: number; jobIds: string[] } | null {
  const need = needOn(request, node)
  if (!need) return null
  const capacity = node.capacityWithout(({ terminating }) => terminating)
  const candidates = [...node.occupants]
    .filter(([, { preemptible, terminating }]) => preemptible && !terminating)
    .sort(([, a], [, b]) => b.startedAt - a.startedAt)
  const jobIds: string[] = []
  let lostMs = 0
  for (const [jobId, { task, startedAt }] of candidates) {
    if (isFree(need, capacity)) break
    node.addTask(capacity, task)
    jobIds.push(jobId)
    lostMs += now - startedAt
  }
  return isFree(need, capacity) ? { node, lostMs, jobIds } : null
}
