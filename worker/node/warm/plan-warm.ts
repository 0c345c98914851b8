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
}

export interface WarmLimits {
  /** Maximum number of warm containers of a node; 0: none. */
  containers: number
  /** Maximum memory in MiB that they use together. */
  memoryMib: number
}

/** What is known about the memory of the node's warm containers. */
export interface WarmMemory {
  /** The mean of one container, in MiB. */
  meanMib: number
  /** Whether the machine has little memory left. */
  isShort: boolean
}

/**
 * Decides how many warm containers of each class a node keeps. Pure. The classes that were requested last come first.
 * Each gets one before any gets a second.
 */
export function planWarm(
  classes: readonly ClassDemand[],
  limits: WarmLimits,
  memory: WarmMemory,
  nowMs: number,
): Map<string, number> {
  const latest = ({ requestedMs }: ClassDemand) => requestedMs.at(-1) ?? Number.NEGATIVE_INFINITY
  const recent = classes
    .filter((demand) => latest(demand) > nowMs - recentMs)
    .sort((a, b) => latest(b) - latest(a))
  const byMemory = Math.floor(limits.memoryMib / Math.max(1, memory.meanMib))
  let left = memory.isShort ? 0 : Math.min(limits.containers, byMemory)
  const planned = new Map<string, number>()
  const give = (key: string, wanted: number) => {
    const given = Math.min(wanted, left)
    left -= given
    if (given > 0) planned.set(key, (planned.get(key) ?? 0) + given)
  }
  for (const { key } of recent) give(key, 1)
  for (const { key, requestedMs, capacity } of recent) {
    const burst = requestedMs.filter((ms) => ms > nowMs - burstMs).length
    give(key, Math.max(1, Math.min(burst, capacity)) - 1)
  }
  return planned
}
