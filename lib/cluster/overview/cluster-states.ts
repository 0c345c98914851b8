import type { ClusterGpu, ClusterNode } from '../../contract/cluster'

/** What a node's row says that decides its state. */
export interface NodeFacts {
  status: 'ready' | 'draining' | 'drained' | 'lost'
  leaseHeld: boolean
  simulated: boolean
  paused: boolean
  pauseReason: string | null
  quarantined: boolean
  quarantineReason: string | null
}

/** What a GPU's row says that decides its state. */
export interface GpuFacts {
  missing: boolean
  paused: boolean
  pauseReason: string | null
  busyReason: string | null
  allocatedMilli: number
}

type StateOfNode = Pick<ClusterNode, 'state' | 'reason'>
type StateOfGpu = Pick<ClusterGpu, 'state' | 'reason'>

/** What cannot be helped comes before what an admin can end, and that before what ends by itself. */
export function nodeState(node: NodeFacts): StateOfNode {
  if (node.status === 'drained') {
    const reason = node.simulated
      ? 'No worker serves it: the one of its machine is starting, or has left.'
      : 'Its worker has left. Start one there to have it back.'
    return { state: 'drained', reason }
  }
  if (node.status === 'lost' || !node.leaseHeld) {
    return { state: 'lost', reason: 'Its worker has stopped answering. Its jobs are tried again elsewhere.' }
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
      reason: 'Its worker is starting or leaving: what runs there goes on, nothing new starts.',
    }
  }
  return { state: 'ready', reason: null }
}

/** What is closed has no reason of its own: its node has one. */
export function gpuState(gpu: GpuFacts, node: ClusterNode['state']): StateOfGpu {
  if (gpu.missing) return { state: 'missing', reason: 'Its node does not find it any more.' }
  if (gpu.paused) return { state: 'paused', reason: sentence('An admin paused it', gpu.pauseReason) }
  if (gpu.busyReason !== null) return { state: 'outside', reason: gpu.busyReason }
  if (gpu.allocatedMilli === 0) return { state: node === 'ready' ? 'free' : 'closed', reason: null }
  return { state: gpu.allocatedMilli < 1000 ? 'shared' : 'full', reason: null }
}

/** What people and workers write ends as they like, and may be cut; a sentence ends once. */
export function sentence(start: string, detail: string | null): string {
  const text = detail === null ? start : `${start}: ${detail}`
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
