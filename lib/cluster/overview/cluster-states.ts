import { z } from 'zod'
import type { ClusterGpu, ClusterNode } from '../../contract/cluster/cluster'
import { nextProbeAt } from '../nodes/probe-times'

/** The columns of a node that determine its state. */
export const nodeFactsSchema = z.object({
  status: z.enum(['ready', 'draining', 'drained', 'lost']),
  leaseHeld: z.boolean(),
  simulated: z.boolean(),
  paused: z.boolean(),
  pauseReason: z.string().nullable(),
  quarantined: z.boolean(),
  quarantineReason: z.string().nullable(),
  /** The self-test of a quarantined node. */
  probe: z
    .object({
      quarantinedAt: z.coerce.date(),
      probedAt: z.coerce.date().nullable(),
      probes: z.int(),
      error: z.string().nullable(),
      enabled: z.boolean(),
    })
    .nullable(),
})

/** The columns of a GPU that determine its state. */
export const gpuFactsSchema = z.object({
  missing: z.boolean(),
  paused: z.boolean(),
  pauseReason: z.string().nullable(),
  busyReason: z.string().nullable(),
  allocatedMilli: z.number(),
})

export type NodeFacts = z.output<typeof nodeFactsSchema>
export type GpuFacts = z.output<typeof gpuFactsSchema>
type StateOfNode = Pick<ClusterNode, 'state' | 'reason'>
type StateOfGpu = Pick<ClusterGpu, 'state' | 'reason'>

/** Order of precedence: states that nobody can change, then states that an admin can end, then temporary ones. */
export function nodeState(node: NodeFacts): StateOfNode {
  if (node.status === 'drained') {
    const reason = node.simulated
      ? 'No worker serves it: the worker of its host is starting or has shut down.'
      : 'Its worker has shut down. To use the node again, start a worker on it.'
    return { state: 'drained', reason }
  }
  if (node.status === 'lost' || !node.leaseHeld) {
    return { state: 'lost', reason: 'Its worker does not respond. Its jobs are retried on other nodes.' }
  }
  if (node.quarantined) {
    return { state: 'quarantined', reason: node.quarantineReason ?? 'Too many jobs failed there in a row.' }
  }
  if (node.paused) {
    return { state: 'paused', reason: sentence('An admin paused it', node.pauseReason) }
  }
  if (node.status === 'draining') {
    return {
      state: 'draining',
      reason: 'Its worker is starting or shutting down: running jobs continue, no new jobs start.',
    }
  }
  return { state: 'ready', reason: null }
}

/** When a quarantined node tests itself next, and how its last test ended; null for any other node. */
export function nodeProbe({ probe }: NodeFacts): ClusterNode['probe'] {
  if (probe === null) return null
  return {
    next_at: probe.enabled ? nextProbeAt(probe).toISOString() : null,
    last_at: probe.probedAt?.toISOString() ?? null,
    last_error: probe.error,
  }
}

/** A GPU of a closed node has no reason of its own; the node has one. */
export function gpuState(gpu: GpuFacts, node: ClusterNode['state']): StateOfGpu {
  if (gpu.missing) return { state: 'missing', reason: 'Its node no longer finds it.' }
  if (gpu.paused) return { state: 'paused', reason: sentence('An admin paused it', gpu.pauseReason) }
  if (gpu.busyReason !== null) return { state: 'outside', reason: gpu.busyReason }
  if (gpu.allocatedMilli === 0) return { state: node === 'ready' ? 'free' : 'closed', reason: null }
  return { state: gpu.allocatedMilli < 1000 ? 'shared' : 'full', reason: null }
}

/**
 * Joins a start and an optional detail into one sentence with one full stop. The detail may end in any way and may
 * be cut off.
 */
export function sentence(start: string, detail: string | null): string {
  const text = detail === null ? start : `${start}: ${detail}`
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
