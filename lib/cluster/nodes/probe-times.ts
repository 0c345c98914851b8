import { backoff } from '../../async/backoff'

const longestMinutes = 60
const minuteMs = 60_000

export interface ProbeFacts {
  quarantinedAt: Date
  probedAt: Date | null
  /** Number of probes since a job last ran on the node. */
  probes: number
}

/**
 * Returns when a quarantined node tests itself next: 1, 2, 4 … 60 minutes after its quarantine or its last probe. The
 * waits also grow from one quarantine to the next until a job runs, because jobs may fail on a node whose probes pass.
 */
export function nextProbeAt({ quarantinedAt, probedAt, probes }: ProbeFacts): Date {
  const last = Math.max(quarantinedAt.getTime(), probedAt?.getTime() ?? 0)
  return new Date(last + backoff(probes + 1, 1, longestMinutes) * minuteMs)
}
