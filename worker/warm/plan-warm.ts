/** Demand counts for this long: a class of which no task came in this time has no warm container. */
export const recentMs = 60 * 60_000
/** A class has as many warm containers as tasks came in the last minute, and at least one. */
const burstMs = 60_000

/** A request class, as the plan sees it. */
export interface ClassDemand {
  key: string
  /** When its tasks came, in milliseconds, oldest first. */
  requestedMs: readonly number[]
  /** How many of its tasks can run on the node at once. */
  capacity: number
  /** The memory in MiB that one of its containers takes while it waits. */
  memoryMib: number
}

export interface WarmLimits {
  /** Maximum number of warm containers of a node; 0: none. */
  containers: number
  /** Maximum memory in MiB that they use together. */
  memoryMib: number
}

/**
 * Decides how many warm containers of each class a node keeps. Pure. The classes that were requested last come first.
 * Each gets one before any gets a second.
 * @param isShort whether the machine has little memory left
 */
export function planWarm(
  classes: readonly ClassDemand[],
  limits: WarmLimits,
  isShort: boolean,
  nowMs: number,
): Map<string, number> {
  const latest = ({ requestedMs }: ClassDemand) => requestedMs.at(-1) ?? Number.NEGATIVE_INFINITY
  const recent = classes
    .filter((demand) => latest(demand) > nowMs - recentMs)
    .sort((a, b) => latest(b) - latest(a))
  let left = isShort ? 0 : limits.containers
  let leftMib = limits.memoryMib
  const planned = new Map<string, number>()
  const give = ({ key, memoryMib }: ClassDemand, wanted: number) => {
    const fitting = Math.floor(leftMib / Math.max(1, memoryMib))
    const given = Math.min(wanted, left, fitting)
    left -= given
    leftMib -= given * Math.max(1, memoryMib)
    if (given > 0) planned.set(key, (planned.get(key) ?? 0) + given)
  }
  for (const demand of recent) give(demand, 1)
  for (const demand of recent) {
    const burst = demand.requestedMs.filter((ms) => ms > nowMs - burstMs).length
    if (planned.has(demand.key)) give(demand, Math.max(1, Math.min(burst, demand.capacity)) - 1)
  }
  return planned
}
