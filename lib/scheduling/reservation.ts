import { fits } from './fits'
import type { NodeBook, Tenant } from './node-book'
import type { ResourceRequest, TaskPlacement } from './types'

/** Room kept for the first job that cannot start: when it will start, and where. */
export interface Reservation {
  at: number
  nodes: ReadonlySet<NodeBook>
  request: ResourceRequest
}

/**
 * The earliest time at which a job can start, going by when those that run are expected to end; null when they all
 * ending would not be enough. This is the reservation of EASY backfilling (Lifka, "The ANL/IBM SP Scheduling System",
 * JSSPP 1995): the first blocked job has one, and none that is placed later may move it.
 */
export function reserve(
  request: ResourceRequest,
  nodes: readonly NodeBook[],
  now: number,
): Reservation | null {
  const best: { node: NodeBook; at: number }[] = []
  const soonest = nodes.map((node) => ({ node, from: Math.max(node.nextEnd, now) }))
  // A single one would have started where it fits now; several may wait for the last of their nodes.
  if (request.instances === 1) soonest.sort((a, b) => a.from - b.from || a.node.position - b.node.position)
  for (const { node, from } of soonest) {
    const worst = best.length < request.instances ? Number.POSITIVE_INFINITY : (best.at(-1)?.at ?? 0)
    if (request.instances === 1 && from >= worst) break
    const at = earliest(request, node, now, worst)
    if (at >= worst) continue
    best.push({ node, at })
    best.sort((a, b) => a.at - b.at || a.node.position - b.node.position)
    best.length = Math.min(best.length, request.instances)
  }
  const last = best[request.instances - 1]
  return last ? { at: last.at, nodes: new Set(best.map(({ node }) => node)), request } : null
}

/** When the request fits on the node, if that is before `limit`; else infinity. */
function earliest(request: ResourceRequest, node: NodeBook, now: number, limit: number): number {
  const later = node.without(({ leaving, endsAt }) => leaving || endsAt <= now)
  if (fits(request, later).ok) return now
  const rest = [...node.tenants.values()].filter(({ leaving, endsAt }) => !leaving && endsAt > now)
  rest.sort((a, b) => a.endsAt - b.endsAt)
  for (const [index, tenant] of rest.entries()) {
    if (tenant.endsAt >= limit) break
    later.vacate(tenant)
    if (rest[index + 1]?.endsAt !== tenant.endsAt && fits(request, later).ok) return tenant.endsAt
  }
  return Number.POSITIVE_INFINITY
}

/** Whether a task that would run until `endsAt` leaves the reservation its room at its time. */
export function leavesRoom(
  { at, nodes, request }: Reservation,
  node: NodeBook,
  task: Omit<TaskPlacement, 'rank'>,
  endsAt: number,
): boolean {
  if (!nodes.has(node) || endsAt <= at) return true
  const then = endedBy(node, at)
  then.seat('', { task, endsAt, startedAt: at, preemptible: false, leaving: false })
  return fits(request, then).ok
}

function endedBy(node: NodeBook, time: number): NodeBook {
  return node.without((tenant) => tenant.leaving || tenant.endsAt <= time)
}

/**
 * The jobs of best effort that have to go for a request to fit, with the least work lost; null when that is not
 * enough, and none when the room is free or already on its way.
 */
export function findVictims(
  request: ResourceRequest,
  nodes: readonly NodeBook[],
  now: number,
): string[] | null {
  const ways = nodes.flatMap((node) => wayOn(request, node, now) ?? [])
  if (ways.length < request.instances) return null
  ways.sort((a, b) => a.lost - b.lost || a.node.position - b.node.position)
  return [...new Set(ways.slice(0, request.instances).flatMap(({ jobIds }) => jobIds))]
}

function wayOn(
  request: ResourceRequest,
  node: NodeBook,
  now: number,
): { node: NodeBook; lost: number; jobIds: string[] } | null {
  const gone = new Set<Tenant>([...node.tenants.values()].filter(({ leaving }) => leaving))
  const jobIds: string[] = []
  let lost = 0
  const candidates = [...node.tenants]
    .filter(([, { preemptible, leaving }]) => preemptible && !leaving)
    .sort(([, a], [, b]) => b.startedAt - a.startedAt)
  for (;;) {
    if (
      fits(
        request,
        node.without((tenant) => gone.has(tenant)),
      ).ok
    )
      return { node, lost, jobIds }
    const next = candidates.shift()
    if (!next) return null
    const [jobId, tenant] = next
    gone.add(tenant)
    jobIds.push(jobId)
    lost += now - tenant.startedAt
  }
}
